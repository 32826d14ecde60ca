#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "cli/ask/ask_agent.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "cli/top/overview_reader.h"
#include "cli/top/overview_text.h"
#include "cli/top/top.h"
#include "core/text/printable.h"
#include "http/client/client.h"

namespace jettison {
namespace {

constexpr int kUnderPressure = 3;

constexpr int kFailedCheck = 500;

struct StatusOptions {
  AskOptions ask;
  std::string output = "text";
  bool exit_code = false;
  bool ready = false;
};

// Whether the agent is ready, as a probe of Kubernetes asks.
int RunReadiness(const AskOptions& options) {
  const auto target = TargetOf(options);
  if (!target) return ReportUnanswered(target.error());
  const auto answer = HttpGet(*target, "/readyz?verbose");
  if (!answer) return ReportUnanswered(answer.error());
  const std::string failed = answer->status == kFailedCheck ? FailedChecks(answer->body) : "";
  if (!failed.empty()) {
    PrintError("jettison: the agent is not ready: {}\n", failed);
    return kExitFailed;
  }
  if (const auto answered = CheckAnswer(*answer); !answered) {
    return ReportUnanswered(answered.error());
  }
  return PrintText("the agent is ready\n");
}

int RunStatus(const StatusOptions& options) {
  if (options.ready) return RunReadiness(options.ask);
  const auto answer = AskAgent(options.ask, kOverviewPath);
  if (!answer) return ReportUnanswered(answer.error());
  const auto overview = ReadOverview(*answer);
  if (!overview) {
    return ReportUnanswered({ErrorCode::kInternal, overview.error().message});
  }
  const int printed =
      PrintData(options.output == "json"
                    ? *answer + "\n"
                    : StatusText(*overview, ColumnsOfStandardOutput(), StyleOfStandardOutput()));
  if (printed != 0) return printed;
  const bool pressure = std::ranges::any_of(overview->conditions, &OverviewCondition::status);
  return options.exit_code && pressure ? kUnderPressure : 0;
}

constexpr const char* kStatusFooter =
    "Examples:\n"
    "  jettison status\n"
    "  jettison status --ready                     whether the agent can do all of its work\n"
    "  jettison status --exit-code >/dev/null || echo 'down, or under pressure'\n"
    "  jettison status --output json | jq '.signals[] | select(.thresholds[].met) | .signal'\n"
    "\n"
    "Exit status: 0 the agent answered, with --ready: and is ready; 1 it did not, or is not; 2 "
    "wrong\n"
    "usage; 3 with --exit-code, a condition of the node is true.";

}  // namespace

std::string FailedChecks(std::string_view answer) {
  constexpr std::string_view kBegin = "[-]";
  constexpr std::string_view kReason = " failed: ";
  std::string failed;
  while (!answer.empty()) {
    const std::size_t end = std::min(answer.find('\n'), answer.size());
    const std::string_view line = answer.substr(0, end);
    answer.remove_prefix(std::min(end + 1, answer.size()));
    const std::size_t reason = line.find(kReason);
    if (!line.starts_with(kBegin) || reason == std::string_view::npos) continue;
    failed += fmt::format("{}{}: {}", failed.empty() ? "" : "; ",
                          line.substr(kBegin.size(), reason - kBegin.size()),
                          line.substr(reason + kReason.size()));
  }
  return Printable(failed);
}

void AddStatus(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<StatusOptions>();
  CLI::App* command =
      app.add_subcommand("status", "Show the state of the node: conditions, signals, evictions");
  CLI::Option* output = command->add_option("--output", options->output, "text or json")
                            ->check(CLI::IsMember({"text", "json"}))
                            ->capture_default_str();
  CLI::Option* by_condition = command->add_flag(
      "--exit-code", options->exit_code, "exit with status 3 if a condition of the node is true");
  command->add_flag("--ready", options->ready,
                    "only say whether /readyz passes, and which of its checks fail; not together "
                    "with --output or --exit-code");
  AddAskOptions(*command, options->ask);
  command->footer(kStatusFooter);
  // CLI11's own way would stand in the help as if it were a default.
  command->callback([=, &exit_code] {
    for (const CLI::Option* other : {output, by_condition}) {
      if (options->ready && other->count() > 0) {
        throw CLI::ExcludesError("--ready", other->get_name());
      }
    }
    exit_code = RunStatus(*options);
  });
}

}  // namespace jettison
