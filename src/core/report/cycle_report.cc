#include "core/report/cycle_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace jettison {
namespace {

// All texts about one condition, with and without pressure. (kubelet:
// pkg/kubelet/nodestatus/setters.go)
struct ConditionWords {
  std::array<std::string_view, 2> reason;  // with and without
  std::array<std::string_view, 2> message;
  std::array<std::string_view, 2> event;
};

// In the order of declaration, in which the kubelet sets them. It has no texts for the last one.
constexpr std::array<ConditionWords, kNodeConditionCount> kConditions = {
    {{{"KubeletHasInsufficientMemory", "KubeletHasSufficientMemory"},
      {"kubelet has insufficient memory available", "kubelet has sufficient memory available"},
      {"NodeHasInsufficientMemory", "NodeHasSufficientMemory"}},
     {{"KubeletHasDiskPressure", "KubeletHasNoDiskPressure"},
      {"kubelet has disk pressure", "kubelet has no disk pressure"},
      {"NodeHasDiskPressure", "NodeHasNoDiskPressure"}},
     {{"KubeletHasInsufficientPID", "KubeletHasSufficientPID"},
      {"kubelet has insufficient PID available", "kubelet has sufficient PID available"},
      {"NodeHasInsufficientPID", "NodeHasSufficientPID"}},
     {{"KubeletHasDiskContention", "KubeletHasNoDiskContention"},
      {"kubelet has tasks stalled on I/O", "kubelet has no disk contention"},
      {"NodeHasDiskContention", "NodeHasNoDiskContention"}}}};

}  // namespace

bool HasOutcome(const CycleReport& report, EvictOutcome outcome) {
  return std::ranges::any_of(report.evictions, [outcome](const EvictionRecord& eviction) {
    return eviction.outcome == outcome;
  });
}

std::vector<std::string> EndingPodsOf(const CycleReport& report) {
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
  std::vector<Event> events;
  for (std::size_t i = 0; i < kNodeConditionCount; ++i) {
    const auto type = static_cast<NodeConditionType>(i);
    if (before.Has(type) == after.Has(type)) continue;
    const std::string_view reason = kConditions[i].event[after.Has(type) ? 0 : 1];
    events.push_back({.object = "node",
                      .type = EventType::kNormal,
                      .reason = std::string(reason),
                      .message = fmt::format("Node status is now: {}", reason),
                      .annotations = {}});
  }
  return events;
}

NodeConditionText TextOf(NodeConditionType type, bool pressure) {
  const ConditionWords& words = kConditions[IndexOf(type)];
  const std::size_t which = pressure ? 0 : 1;
  return {.type = NameOf(type),
          .status = pressure ? "True" : "False",
          .reason = words.reason[which],
          .message = words.message[which]};
}

}  // namespace jettison
