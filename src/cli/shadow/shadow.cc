#include "cli/shadow/shadow.h"

#include <memory>
#include <string>

#include "cli/ask/ask_agent.h"
#include "cli/shadow/shadow_reader.h"
#include "cli/shadow/shadow_text.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"

namespace jettison {
namespace {

struct ShadowOptions {
  AskOptions ask;
  std::string output = "text";
};

int RunShadow(const ShadowOptions& options) {
  const auto answer = AskAgent(options.ask, "/api/v1/shadow");
  if (!answer) return ReportUnanswered(answer.error());
  if (options.output == "json") return PrintData(*answer);
  const auto view = ReadShadow(*answer);
  if (!view) return ReportUnanswered({ErrorCode::kInternal, view.error().message});
  return PrintData(ShadowText(*view, ColumnsOfStandardOutput(), StyleOfStandardOutput()));
}

constexpr const char* kFooter =
    "In shadow mode (source: kubernetes with dryRun: true) the agent evicts no pod. It notes "
    "which\n"
    "ones it would have evicted, and compares them with the pods that the kubelet then evicts.\n"
    "\n"
    "Examples:\n"
    "  jettison shadow\n"
    "  jettison shadow --output json | jq '.counters'\n"
    "  jettison shadow --output json | jq '.pairings[] | select(.verdict != \"agreed\")'\n"
    "\n"
    "Exit status: 0 done, 1 the agent could not be asked or is not in shadow mode, 2 wrong usage.";

}  // namespace

void AddShadow(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ShadowOptions>();
  CLI::App* command = app.add_subcommand(
      "shadow", "Compare what a dry run would have evicted with what the kubelet evicted");
  command->add_option("--output", options->output, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  AddAskOptions(*command, options->ask);
  command->footer(kFooter);
  command->callback([options, &exit_code] { exit_code = RunShadow(*options); });
}

}  // namespace jettison
