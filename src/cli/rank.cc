#include <memory>
#include <string>

#include "cli/ask/ask_agent.h"
#include "cli/commands.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"

namespace jettison {
namespace {

struct RankOptions {
  AskOptions ask;
  std::string signal = "memory.available";
  std::string output = "text";
};

int RunRank(const RankOptions& options) {
  const auto answer =
      AskAgent(options.ask,
               "/api/v1/rank?signal=" + EncodedForUrl(options.signal) + "&output=" + options.output,
               TypeFor(options.output));
  if (!answer) return ReportUnanswered(answer.error());
  return options.output == "json" ? PrintData(*answer) : PrintText(*answer);
}

constexpr const char* kRankFooter =
    "Prints every pod in the order in which it would be evicted for the signal, with its usage\n"
    "and request, and with the field that decided between it and the next pod.\n"
    "\n"
    "Examples:\n"
    "  jettison rank --signal memory.available\n"
    "  jettison rank --signal nodefs.available --output json | jq -r '.pods[0].name'\n"
    "\n"
    "Exit status: 0 done, 1 the agent could not be asked or has no answer yet, 2 wrong usage.";

}  // namespace

void AddRank(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RankOptions>();
  CLI::App* command =
      app.add_subcommand("rank", "Ask the agent in which order pods would be evicted");
  command
      ->add_option("--signal", options->signal,
                   "the signal to rank the pods for: memory.available, nodefs.available, ...")
      ->check(KnownSignal())
      ->type_name("SIGNAL")
      ->capture_default_str();
  AddOutput(*command, options->output);
  AddAskOptions(*command, options->ask);
  command->footer(kRankFooter);
  command->callback([options, &exit_code] { exit_code = RunRank(*options); });
}

}  // namespace jettison
