#include "core/report/cycle_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace jettison {

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
    const std::string_view reason =
        (after.Has(type) ? RowOf(type).holds : RowOf(type).is_over).event;
    events.push_back({.object = "node",
                      .type = EventType::kNormal,
                      .reason = std::string(reason),
                      .message = fmt::format("Node status is now: {}", reason),
                      .annotations = {}});
  }
  return events;
}

NodeConditionText TextOf(NodeConditionType type, bool pressure) {
  const ConditionWords& words = pressure ? RowOf(type).holds : RowOf(type).is_over;
  return {.type = NameOf(type),
          .status = pressure ? "True" : "False",
          .reason = words.reason,
          .message = words.message};
}

}  // namespace jettison
