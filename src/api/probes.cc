#include <fmt/format.h>

#include <algorithm>

#include "api/answers.h"

namespace jettison {
namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;

std::string Ago(Instant at, Instant now) {
  return fmt::format("{} s ago", duration_cast<seconds>(Elapsed(at, now)).count());
}

// The last pass, of those that happen by the clock.
Check PassCheck(const Snapshot& snapshot, Instant now) {
  Check check{.name = "pass", .failure = {}};
  if (snapshot.passes == 0 || !snapshot.last_report) {
    check.failure = "no pass has been made yet";
    return check;
  }
  const Duration interval =
      snapshot.node ? snapshot.node->config.monitoring_interval : Duration(seconds(10));
  if (Elapsed(snapshot.last_report->at, now) > std::max<Duration>(3 * interval, kWorthRestart)) {
    check.failure = "the last pass was made " + Ago(snapshot.last_report->at, now);
  }
  return check;
}

Check FiguresCheck(const Snapshot& snapshot) {
  Check check{.name = "figures", .failure = {}};
  std::vector<std::string_view> unknown;
  for (const ThresholdView& view : snapshot.thresholds) {
    const std::string_view signal = NameOf(view.threshold.signal);
    if (!view.observation && !view.has_no_such &&
        std::ranges::find(unknown, signal) == unknown.end()) {
      unknown.push_back(signal);
    }
  }
  if (snapshot.passes == 0 || unknown.empty()) return check;
  check.failure = fmt::format("these signals have thresholds and cannot be measured: {}",
                              fmt::join(unknown, ", "));
  return check;
}

}  // namespace

std::string HangOf(const LoopTurns& turns, Instant now, Duration patience) {
  const Duration allowed = turns.last ? patience : std::max(patience, kWorthRestart);
  if (Elapsed(turns.last.value_or(turns.waiting_since), now) <= allowed) return "";
  if (!turns.last) return "the agent's main loop has not run yet";
  return fmt::format("the agent's main loop last ran {}, at {}", Ago(*turns.last, now),
                     FormatInstant(*turns.last));
}

std::vector<Check> LiveChecks(const LoopTurns& turns, Instant now, Duration patience) {
  return {{.name = "loop", .failure = HangOf(turns, now, patience)}};
}

std::vector<Check> ReadyChecks(const LoopTurns& turns, const Snapshot* snapshot, Instant now) {
  std::vector<Check> checks = LiveChecks(turns, now, kHangs);
  if (snapshot == nullptr) {
    checks.push_back({"runtime", "the runtime has not answered yet"});
    return checks;
  }
  checks.push_back({"runtime", snapshot->awaits_runtime
                                   ? "the runtime has not listed its pods since the agent's start"
                                   : ""});
  checks.push_back(PassCheck(*snapshot, now));
  checks.push_back(FiguresCheck(*snapshot));
  checks.push_back({"manifests", snapshot->manifest_error});
  checks.push_back({"cluster", snapshot->cluster_error});
  checks.push_back({"state", snapshot->state_error});
  return checks;
}

HttpResponse ProbeAnswer(std::string_view probe, const std::vector<Check>& checks, bool verbose) {
  HttpResponse answer;
  answer.content_type = "text/plain; charset=utf-8";
  const bool passed = std::ranges::all_of(checks, [](const Check& c) { return c.failure.empty(); });
  if (passed && !verbose) {
    answer.body = "ok";
    return answer;
  }
  answer.status = passed ? 200 : 500;
  for (const Check& check : checks) {
    answer.body += check.failure.empty()
                       ? fmt::format("[+]{} ok\n", check.name)
                       : fmt::format("[-]{} failed: {}\n", check.name, check.failure);
  }
  answer.body += fmt::format("{} check {}\n", probe, passed ? "passed" : "failed");
  return answer;
}

}  // namespace jettison
