#include "cli/top/readiness.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal/exit_status.h"
#include "cli/terminal/output.h"
#include "core/text/printable.h"
#include "http/client/client.h"

namespace jettison {
namespace {

constexpr const char* kPath = "/readyz?verbose";
constexpr int kFailed = 500;  // a check, in the agent's answer

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

int RunReadiness(const AskOptions& options) {
  const auto target = TargetOf(options);
  if (!target) return ReportUnanswered(target.error());
  const auto answer = HttpGet(*target, kPath);
  if (!answer) return ReportUnanswered(answer.error());
  const std::string failed = answer->status == kFailed ? FailedChecks(answer->body) : "";
  if (!failed.empty()) {
    PrintError("jettison: the agent is not ready: {}\n", failed);
    return kExitFailed;
  }
  if (const auto answered = CheckAnswer(*answer); !answered) {
    return ReportUnanswered(answered.error());
  }
  return PrintText("the agent is ready\n");
}

}  // namespace jettison
