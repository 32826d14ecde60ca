#include "cli/explain.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "agent/tell/eviction_history.h"
#include "cli/ask/ask_agent.h"
#include "cli/explain_file.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/output.h"

namespace jettison {
namespace {

struct ExplainCommand {
  AskOptions ask;
  std::string target;  // a pod or an eviction; empty: now
  std::string file;
  std::string record;
  std::string output = "text";
};

std::string PathFor(const ExplainCommand& command) {
  std::string path = "/api/v1/explain?output=" + command.output;
  if (command.target.empty()) return path;
  const bool eviction = EvictionNumber(command.target) > 0;
  return path + (eviction ? "&eviction=" : "&pod=") + EncodedForUrl(command.target);
}

int RunExplain(const ExplainCommand& command) {
  if (!command.file.empty()) {
    return ExplainFile({.path = command.file,
                        .record = command.record,
                        .pod = command.target,
                        .json = command.output == "json"});
  }
  if (!command.record.empty()) {
    PrintError("jettison: --record names a record in a file, so it needs --file\n");
    return kExitInvalidInput;
  }
  const auto answer = AskAgent(command.ask, PathFor(command), TypeFor(command.output));
  if (!answer) return ReportUnanswered(answer.error());
  return command.output == "json" ? PrintData(*answer) : PrintText(*answer);
}

constexpr const char* kExplainFooter =
    "Without POD and EVICTION, explain says what would happen now. POD is namespace/name, a name\n"
    "or a UID: explain says where the pod ranks for each signal or, if it is gone, why it was\n"
    "evicted. EVICTION is the id of an eviction since the agent's start (ev-12); if a pod has\n"
    "such a name, write namespace/name. With --file, recorded passes are explained, without an\n"
    "agent: those of scenarios, or of a recording that `jettison record` has fetched.\n"
    "\n"
    "Examples:\n"
    "  jettison explain                        how far each threshold is, and which pod is next\n"
    "  jettison explain default/web            where the pod ranks, or why it was evicted\n"
    "  jettison explain ev-12                  one eviction in full\n"
    "  jettison explain ev-12 --output json | jq -r '.otherwise[].text'\n"
    "  jettison explain --file node.ndjson --record memory-3\n"
    "  jettison explain --file node.jtr default/web\n"
    "\n"
    "Exit status: 0 done, 1 the agent could not be asked or there is no such pod or eviction, 2\n"
    "wrong usage or an invalid record.";

}  // namespace

void AddExplain(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ExplainCommand>();
  CLI::App* command = app.add_subcommand(
      "explain", "Say why a pod was evicted, where a pod ranks, or what would happen now");
  command->add_option("TARGET", options->target, "a pod or an eviction")->type_name("POD|EVICTION");
  command
      ->add_option(
          "--file", options->file,
          "explain the passes of scenarios (NDJSON) or of a recording; - reads standard input")
      ->type_name("FILE");
  command->add_option("--record", options->record, "with --file: only the record of that name");
  command->add_option("--output", options->output, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  AddAskOptions(*command, options->ask);
  command->footer(kExplainFooter);
  command->callback([options, &exit_code] { exit_code = RunExplain(*options); });
}

}  // namespace jettison
