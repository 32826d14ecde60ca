#include "cli/demo/demo_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <variant>

#include "cli/demo/demo_pods.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kOverture = milliseconds(2500);  // for the reader to look at the node at rest
constexpr Duration kPause = milliseconds(1500);     // after an eviction
constexpr Duration kCalm = milliseconds(1500);      // at the end
constexpr Duration kActLimit = seconds(12);
constexpr Duration kDeadline = seconds(56);

bool EverybodyRuns(const Snapshot& snapshot) {
  return snapshot.passes > 0 && snapshot.pods.size() == DemoPods().size() &&
         std::ranges::all_of(snapshot.pods, [](const PodView& pod) {
           return pod.activity == PodActivity::kRunning && pod.memory_working_set_bytes;
         });
}

// Whether somebody is on its way back. A runtime may take its time for that, and who was let in
// before the next pressure would come back in the middle of it.
bool AnybodyStarts(const Snapshot& snapshot) {
  return std::ranges::any_of(
      snapshot.pods, [](const PodView& pod) { return pod.activity == PodActivity::kStarting; });
}

template <typename Records>
auto FirstOf(const Records& records, std::string_view pod) -> decltype(records.data()) {
  const auto found =
      std::ranges::find_if(records, [&](const auto& each) { return each.pod == pod; });
  return found == records.end() ? nullptr : &*found;
}

// Evicted, and either cleaned up or even back.
bool IsDone(const DemoAct& act, const DemoHistory& history) {
  const auto pod = history.pods.find(act.pod);
  return pod != history.pods.end() && (pod->second.gone || history.ReturnOf(act.pod) != nullptr);
}

bool WasOomKilled(const ContainerStatus& container) {
  const auto* ended = std::get_if<ContainerTerminated>(&container.state);
  return (ended != nullptr && ended->exit.oom_killed) ||
         (container.last_state && container.last_state->oom_killed);
}

}  // namespace

void DemoHistory::Record(const Snapshot& snapshot) {
  if (!first) first = snapshot.at;
  last = snapshot.at;
  for (const NodeConditionType type : kAllNodeConditions) {
    const bool pressure = snapshot.conditions.Has(type);
    if (pressure != last_conditions_.Has(type)) conditions.push_back({snapshot.at, type, pressure});
  }
  last_conditions_ = snapshot.conditions;
  for (const PodView& view : snapshot.pods) {
    PodHistory& pod = pods[view.name];
    if (view.evictions > pod.evictions) {
      pod.evictions = view.evictions;
      evictions.push_back({view.name, snapshot.at, view.status.message});
    }
    pod.runs = view.activity == PodActivity::kRunning;
    if (pod.runs && pod.gone) {
      pod.gone = false;
      returns.push_back({view.name, snapshot.at, !snapshot.conditions.Empty()});
    }
    if (pod.evictions > 0 && view.activity == PodActivity::kWaiting) pod.gone = true;
    for (const ContainerStatus& container : view.status.containers) {
      pod.restarts = std::max(pod.restarts, container.restart_count);
      pod.oom_killed = pod.oom_killed || WasOomKilled(container);
    }
  }
  for (const PodView& view : snapshot.pods) {
    if (!evictions.empty() || !view.memory_working_set_bytes) continue;
    excess[view.name] = static_cast<double>(*view.memory_working_set_bytes) -
                        static_cast<double>(view.facts->memory_request) / kNanosPerUnit;
  }
  for (const ThresholdView& view : snapshot.thresholds) {
    if (view.threshold.signal != Signal::kMemoryAvailable || !view.observation) continue;
    const std::int64_t available = view.observation->available;
    lowest_memory_available = std::min(lowest_memory_available.value_or(available), available);
  }
}

const DemoHistory::Eviction* DemoHistory::EvictionOf(std::string_view pod) const {
  return FirstOf(evictions, pod);
}

const DemoHistory::Return* DemoHistory::ReturnOf(std::string_view pod) const {
  return FirstOf(returns, pod);
}

std::span<const DemoAct> DemoActs() {
  static constexpr auto kActs = std::to_array<DemoAct>({
      {.pod = "leaker",
       .title = "leaker grows by 40 MiB a second",
       .lesson = "The largest excess over a request is evicted first: leaker asked for nothing.",
       .signal = Signal::kMemoryAvailable,
       .message = "The node was low on resource: memory.",
       .promise = "leaker was evicted for memory"},
      {.pod = "filler",
       .title = "filler writes 15 MiB a second to its disk",
       .lesson =
           "There are no dead containers to remove, so the pod that uses most disk is evicted.",
       .signal = Signal::kNodeFsAvailable,
       .message = "The node was low on resource: ephemeral-storage.",
       .promise = "filler was evicted for disk space"},
      {.pod = "scratch",
       .title = "scratch outgrows the limit of its emptyDir",
       .lesson = "A limit of its own is enough: no pressure on the node, nobody is ranked.",
       .signal = Signal::kNodeFsAvailable,
       .message = "Usage of EmptyDir volume \"scratch\" exceeds the limit \"16Mi\".",
       .promise = "scratch was evicted for the size limit of its emptyDir"},
      {.pod = "forker",
       .title = "forker starts 300 processes a second",
       .lesson = "Process ids have no requests: lowest priority first, then most processes.",
       .signal = Signal::kPidAvailable,
       .message = "The node was low on resource: pids.",
       .promise = "forker was evicted for process ids"},
  });
  return kActs;
}

const DemoAct* DemoScript::Current() const {
  return act_ >= 1 && act_ <= DemoActs().size() ? &DemoActs()[act_ - 1] : nullptr;
}

std::string_view DemoScript::OpenGate() const {
  return Current() != nullptr && !evicted_ ? Current()->pod : "";
}

std::string DemoScript::Title() const {
  if (act_ == 0) return "the pods start";
  if (Current() == nullptr) return "calm returns";
  return fmt::format("act {} of {}: {}", act_, DemoActs().size(), Current()->title);
}

std::string_view DemoScript::Lesson() const {
  if (act_ == 0) return "Four pods behave. The other four will not.";
  if (Current() == nullptr) {
    return "Back-off over and no pressure left: the evicted pods come back.";
  }
  return Current()->lesson;
}

Signal DemoScript::RankedFor() const {
  return Current() == nullptr ? Signal::kMemoryAvailable : Current()->signal;
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

void DemoScript::Advance(const Snapshot& snapshot, const DemoHistory& history) {
  if (!started_) started_ = act_started_ = snapshot.at;
  if (snapshot.at - *started_ >= patience_ * kDeadline) finished_ = true;
  if (Current() != nullptr && history.EvictionOf(Current()->pod) != nullptr) evicted_ = true;
  if (!IsOver(snapshot, history)) return;
  if (act_ > DemoActs().size()) {
    finished_ = true;
    return;
  }
  ++act_;
  act_started_ = snapshot.at;
  holds_since_.reset();
  evicted_ = false;
}

}  // namespace jettison
