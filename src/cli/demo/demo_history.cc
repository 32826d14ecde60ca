#include "cli/demo/demo_history.h"

#include <algorithm>

namespace jettison {
namespace {

template <typename Records>
auto FirstOf(const Records& records, std::string_view pod) -> decltype(records.data()) {
  const auto found = std::find_if(records.begin(), records.end(),
                                  [&](const auto& record) { return record.pod == pod; });
  return found == records.end() ? nullptr : &*found;
}

bool WasOomKilled(const ContainerStatus& container) {
  const auto* ended = std::get_if<ContainerTerminated>(&container.state);
  return (ended != nullptr && ended->exit.oom_killed) ||
         (container.last_state && container.last_state->oom_killed);
}

std::optional<std::int64_t> MemoryAvailable(const Snapshot& snapshot) {
  for (const ThresholdView& view : snapshot.thresholds) {
    if (view.threshold.signal == Signal::kMemoryAvailable && view.observation) {
      return view.observation->available;
    }
  }
  return std::nullopt;
}

}  // namespace

void DemoHistory::RecordPod(const PodView& view, const Snapshot& snapshot) {
  PodHistory& pod = pods[view.name];
  if (view.evictions > pod.evictions) {
    pod.evictions = view.evictions;
    evictions.push_back({view.name, snapshot.at, view.status.message, last_working_sets_});
  }
  pod.runs = view.activity == PodActivity::kRunning;
  if (pod.runs && pod.gone) {
    pod.gone = false;
    returns.push_back({view.name, snapshot.at, snapshot.conditions});
  }
  if (pod.evictions > 0 && view.activity == PodActivity::kWaiting) pod.gone = true;
  for (const ContainerStatus& container : view.status.containers) {
    pod.restarts = std::max(pod.restarts, container.restart_count);
    pod.oom_killed = pod.oom_killed || WasOomKilled(container);
  }
}

void DemoHistory::Record(const Snapshot& snapshot) {
  if (!first) first = snapshot.at;
  last = snapshot.at;
  for (const NodeConditionType type : kAllNodeConditions) {
    const bool pressure = snapshot.conditions.Has(type);
    if (pressure == last_conditions_.Has(type)) continue;
    conditions.push_back({snapshot.at, type, pressure});
  }
  last_conditions_ = snapshot.conditions;
  for (const PodView& view : snapshot.pods) RecordPod(view, snapshot);
  for (const PodView& view : snapshot.pods) {
    if (view.memory_working_set_bytes) {
      last_working_sets_[view.name] = *view.memory_working_set_bytes;
    }
  }
  if (const auto available = MemoryAvailable(snapshot)) {
    lowest_memory_available = std::min(lowest_memory_available.value_or(*available), *available);
  }
}

const DemoEviction* DemoHistory::EvictionOf(std::string_view pod) const {
  return FirstOf(evictions, pod);
}

const DemoReturn* DemoHistory::ReturnOf(std::string_view pod) const {
  return FirstOf(returns, pod);
}

std::optional<Instant> DemoHistory::When(NodeConditionType type, bool pressure) const {
  for (const ConditionChange& change : conditions) {
    if (change.type == type && change.pressure == pressure) return change.at;
  }
  return std::nullopt;
}

}  // namespace jettison
