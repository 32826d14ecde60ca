#include <fmt/format.h>

#include <algorithm>

#include "api/api.h"

namespace jettison {
namespace {

using std::chrono::seconds;

// One that hangs is worth a restart only after a while.
constexpr Duration kWorthRestart = seconds(30);

// One thing that a probe looks at.
struct Check {
  std::string_view name;
  std::string failure;  // why it failed; empty: it did not
};

std::string Ago(Instant at, Instant now) {
  return fmt::format("{} s ago", std::chrono::duration_cast<seconds>(Elapsed(at, now)).count());
}

// Why the last pass, of those that happen by the clock, was too long ago.
std::string FaultOfPass(const Snapshot& snapshot, Instant now) {
  if (snapshot.passes == 0 || !snapshot.last_report) return "no pass has been made yet";
  const Duration interval =
      snapshot.node ? snapshot.node->config.monitoring_interval : Duration(seconds(10));
  const Instant last = snapshot.last_report->at;
  if (Elapsed(last, now) <= std::max<Duration>(3 * interval, kWorthRestart)) return "";
  return "the last pass was made " + Ago(last, now);
}

std::string FaultOfFigures(const Snapshot& snapshot) {
  std::vector<std::string_view> unknown;
  for (const ThresholdView& view : snapshot.thresholds) {
    const std::string_view signal = NameOf(view.threshold.signal);
    if (!view.observation && !view.has_no_such &&
        std::ranges::find(unknown, signal) == unknown.end()) {
      unknown.push_back(signal);
    }
  }
  if (snapshot.passes == 0 || unknown.empty()) return "";
  return fmt::format("these signals have thresholds and cannot be measured: {}",
                     fmt::join(unknown, ", "));
}

// Whether the agent does its work: the runtime has answered, a pass was made, the last one no more
// than three intervals ago, the figures that thresholds need could be read, and so can the folder
// of manifests and, beside a kubelet, the list of the node's pods, and its state is kept. An API
// server that is away fails no check, because the agent continues with the pods that it knows.
void AddReadiness(const Snapshot* snapshot, Instant now, std::vector<Check>& checks) {
  if (snapshot == nullptr) {
    checks.push_back({"runtime", "the runtime has not answered yet"});
    return;
  }
  const std::string_view awaited = snapshot->awaits_runtime
                                       ? "the runtime has not listed its pods since the agent's "
                                         "start"
                                       : "";
  checks.insert(checks.end(), {{"runtime", std::string(awaited)},
                               {"pass", FaultOfPass(*snapshot, now)},
                               {"figures", FaultOfFigures(*snapshot)},
                               {"manifests", snapshot->manifest_error},
                               {"cluster", snapshot->cluster_error},
                               {"state", snapshot->state_error}});
}

}  // namespace

std::string HangOf(const ApiSources& sources, Duration patience) {
  auto turn = sources.board.last_turn();
  if (turn && Elapsed(*turn, sources.now()) > kHangs) {
    (void)sources.board.Look(Duration::zero());  // it turns when it is asked to
    turn = sources.board.last_turn();
  }
  const Instant now = sources.now();
  const Duration allowed = turn ? patience : std::max(patience, kWorthRestart);
  if (Elapsed(turn.value_or(sources.started_at), now) <= allowed) return "";
  if (!turn) return "the agent's main loop has not run yet";
  return fmt::format("the agent's main loop last ran {}, at {}", Ago(*turn, now),
                     FormatInstant(*turn));
}

// In the form of Kubernetes' own probes: 200 and "ok", or 500 and every check by name; with
// `verbose` these in any case.
HttpResponse AnswerProbe(const Call& call) {
  const std::string_view probe = std::string_view(call.request.path).substr(1);
  const bool is_readyz = probe == "readyz";
  const auto snapshot = is_readyz ? call.sources.board.Look() : nullptr;
  std::vector<Check> checks = {
      {"loop", HangOf(call.sources, probe == "livez" ? kWorthRestart : kHangs)}};
  if (is_readyz) AddReadiness(snapshot.get(), call.sources.now(), checks);
  const bool passed = std::ranges::all_of(checks, [](const Check& c) { return c.failure.empty(); });
  if (passed && call.Parameter("verbose").value_or("false") == "false") return Body("ok", kAsText);
  std::string text;
  for (const Check& check : checks) {
    text += check.failure.empty() ? fmt::format("[+]{} ok\n", check.name)
                                  : fmt::format("[-]{} failed: {}\n", check.name, check.failure);
  }
  HttpResponse answer =
      Body(text + fmt::format("{} check {}\n", probe, passed ? "passed" : "failed"), kAsText);
  if (!passed) answer.status = 500;
  return answer;
}

}  // namespace jettison
