#include "core/report/cycle_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace jettison {
namespace {

// All texts about one condition, with and without pressure. (kubelet:
// pkg/kubelet/nodestatus/setters.go)
struct ConditionWords {
  NodeConditionText pressure;
  NodeConditionText none;
  const char* pressure_event;
  const char* none_event;
  std::string_view taint;
};

constexpr ConditionWords kMemory = {{"MemoryPressure", "True", "KubeletHasInsufficientMemory",
                                     "kubelet has insufficient memory available"},
                                    {"MemoryPressure", "False", "KubeletHasSufficientMemory",
                                     "kubelet has sufficient memory available"},
                                    "NodeHasInsufficientMemory",
                                    "NodeHasSufficientMemory",
                                    "node.kubernetes.io/memory-pressure"};
constexpr ConditionWords kDisk = {
    {"DiskPressure", "True", "KubeletHasDiskPressure", "kubelet has disk pressure"},
    {"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
    "NodeHasDiskPressure",
    "NodeHasNoDiskPressure",
    "node.kubernetes.io/disk-pressure"};
constexpr ConditionWords kPid = {
    {"PIDPressure", "True", "KubeletHasInsufficientPID", "kubelet has insufficient PID available"},
    {"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
    "NodeHasInsufficientPID",
    "NodeHasSufficientPID",
    "node.kubernetes.io/pid-pressure"};

// The kubelet has no texts for this condition. The taint is that of KEP-5394.
constexpr ConditionWords kDiskContention = {
    {"SystemDiskContentionPressure", "True", "KubeletHasDiskContention",
     "kubelet has tasks stalled on I/O"},
    {"SystemDiskContentionPressure", "False", "KubeletHasNoDiskContention",
     "kubelet has no disk contention"},
    "NodeHasDiskContention",
    "NodeHasNoDiskContention",
    "node.kubernetes.io/disk-contention-pressure"};

constexpr const ConditionWords& WordsFor(NodeConditionType type) {
  switch (type) {
    case NodeConditionType::kMemoryPressure: return kMemory;
    case NodeConditionType::kDiskPressure: return kDisk;
    case NodeConditionType::kPidPressure: return kPid;
    case NodeConditionType::kSystemDiskContentionPressure: return kDiskContention;
  }
  __builtin_unreachable();
}

}  // namespace

bool HasOutcome(const CycleReport& report, EvictOutcome outcome) {
  return std::ranges::any_of(report.evictions, [outcome](const EvictionRecord& eviction) {
    return eviction.outcome == outcome;
  });
}

std::vector<std::string> PodsToldToEnd(const CycleReport& report) {
  std::vector<std::string> uids;
  for (const EvictionRecord& eviction : report.evictions) {
    if (eviction.outcome == EvictOutcome::kEnding) uids.push_back(eviction.order.pod_uid);
  }
  return uids;
}

Event ReclaimEvent(Resource resource) {
  return {.object = "node",
          .type = EventType::kWarning,
          .reason = "EvictionThresholdMet",
          .message = fmt::format("Attempting to reclaim {}", NameOf(resource)),
          .annotations = {}};
}

Event EvictedEvent(const EvictionOrder& order) {
  return {.object = order.pod_uid,
          .type = EventType::kWarning,
          .reason = kReasonEvicted,
          .message = order.message,
          .annotations = order.annotations};
}

std::vector<Event> ConditionEvents(NodeConditions before, NodeConditions after) {
  // In the order in which the kubelet sets them, then our own.
  constexpr std::array<NodeConditionType, kNodeConditionCount> kOrder = {
      NodeConditionType::kMemoryPressure, NodeConditionType::kDiskPressure,
      NodeConditionType::kPidPressure, NodeConditionType::kSystemDiskContentionPressure};
  std::vector<Event> events;
  for (NodeConditionType type : kOrder) {
    if (before.Has(type) == after.Has(type)) continue;
    const ConditionWords& words = WordsFor(type);
    const char* reason = after.Has(type) ? words.pressure_event : words.none_event;
    events.push_back({.object = "node",
                      .type = EventType::kNormal,
                      .reason = reason,
                      .message = fmt::format("Node status is now: {}", reason),
                      .annotations = {}});
  }
  return events;
}

NodeConditionText TextOf(NodeConditionType type, bool pressure) {
  const ConditionWords& words = WordsFor(type);
  return pressure ? words.pressure : words.none;
}

std::string_view TaintOf(NodeConditionType type) {
  return WordsFor(type).taint;
}

}  // namespace jettison
