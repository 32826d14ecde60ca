#include "cli/demo/demo_script.h"

#include <algorithm>
#include <array>

#include "cli/demo/stage/demo_cast.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kOverture = milliseconds(2500);  // for the reader to look at the node at rest
constexpr Duration kPause = milliseconds(1500);     // after an eviction
constexpr Duration kCalm = milliseconds(1500);      // at the end
constexpr Duration kActLimit = seconds(12);

bool EverybodyRuns(const Snapshot& snapshot) {
  return snapshot.passes > 0 && snapshot.pods.size() == DemoPods().size() &&
         std::all_of(snapshot.pods.begin(), snapshot.pods.end(), [](const PodView& pod) {
           return pod.activity == PodActivity::kRunning && pod.memory_working_set_bytes;
         });
}

// Whether somebody is on its way back. A runtime may take its time for that, and who was let in
// before the next pressure would come back in the middle of it.
bool AnybodyStarts(const Snapshot& snapshot) {
  return std::ranges::any_of(
      snapshot.pods, [](const PodView& pod) { return pod.activity == PodActivity::kStarting; });
}

// Evicted, and either cleaned up or even back.
bool IsDone(const DemoAct& act, const DemoHistory& history) {
  const auto pod = history.pods.find(act.pod);
  return pod != history.pods.end() && (pod->second.gone || history.ReturnOf(act.pod) != nullptr);
}

}  // namespace

std::span<const DemoAct> DemoActs() {
  static constexpr auto kActs = std::to_array<DemoAct>({
      {.pod = "leaker",
       .title = "leaker grows by 40 MiB a second",
       .lesson = "The largest excess over a request is evicted first: leaker asked for nothing.",
       .pressure = NodeConditionType::kMemoryPressure,
       .signal = Signal::kMemoryAvailable},
      {.pod = "filler",
       .title = "filler writes 15 MiB a second to its disk",
       .lesson =
           "There are no dead containers to remove, so the pod that uses most disk is evicted.",
       .pressure = NodeConditionType::kDiskPressure,
       .signal = Signal::kNodeFsAvailable},
      {.pod = "scratch",
       .title = "scratch outgrows the limit of its emptyDir",
       .lesson = "A limit of its own is enough: no pressure on the node, nobody is ranked.",
       .pressure = std::nullopt,
       .signal = Signal::kNodeFsAvailable},
      {.pod = "forker",
       .title = "forker starts 300 processes a second",
       .lesson = "Process ids have no requests: lowest priority first, then most processes.",
       .pressure = NodeConditionType::kPidPressure,
       .signal = Signal::kPidAvailable},
  });
  return kActs;
}

const DemoAct* DemoScript::Current() const {
  return act_ >= 1 && act_ <= DemoActs().size() ? &DemoActs()[act_ - 1] : nullptr;
}

bool DemoScript::HoldsFor(bool state, Duration span, Instant now) {
  if (!state) {
    holds_since_.reset();
    return false;
  }
  if (!holds_since_) holds_since_ = now;
  return now - *holds_since_ >= span;
}

bool DemoScript::IsOver(const Snapshot& snapshot, const DemoHistory& history) {
  const Instant now = snapshot.at;
  if (act_ == 0) return HoldsFor(EverybodyRuns(snapshot), kOverture, now);
  if (const DemoAct* act = Current()) {
    return HoldsFor(IsDone(*act, history) && !AnybodyStarts(snapshot), kPause, now) ||
           now - act_started_ >= patience_ * kActLimit;
  }
  return HoldsFor(EverybodyRuns(snapshot) && snapshot.conditions.Empty(), kCalm, now);
}

DemoCues DemoScript::Advance(const Snapshot& snapshot, const DemoHistory& history) {
  DemoCues cues;
  if (!started_) started_ = act_started_ = snapshot.at;
  if (snapshot.at - *started_ >= patience_ * kDemoDeadline) cues.finished = true;
  if (const DemoAct* act = Current();
      act != nullptr && gate_open_ && history.EvictionOf(act->pod) != nullptr) {
    gate_open_ = false;
    cues.close_gate = act->pod;
  }
  if (!IsOver(snapshot, history)) return cues;
  if (act_ > DemoActs().size()) {
    cues.finished = true;
    return cues;
  }
  if (gate_open_) cues.close_gate = Current()->pod;
  ++act_;
  act_started_ = snapshot.at;
  holds_since_.reset();
  gate_open_ = Current() != nullptr;
  if (gate_open_) cues.open_gate = Current()->pod;
  return cues;
}

}  // namespace jettison
