// What a node keeps over restarts of the agent.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "agent/node.h"
#include "decide/eviction_order.h"

namespace jettison {
namespace {

std::string TextOf(const ThresholdValue& value) {
  if (const auto* quantity = std::get_if<Quantity>(&value)) return quantity->ToString();
  return fmt::format("{}", std::get<Percentage>(value).fraction);
}

// Tells thresholds apart; another text is another threshold.
std::string TextOf(const Threshold& threshold) {
  return fmt::format("{}<{} for {} reclaim {}", NameOf(threshold.signal), TextOf(threshold.value),
                     FormatDuration(threshold.grace_period),
                     threshold.min_reclaim ? TextOf(*threshold.min_reclaim) : "nothing");
}

KeptMark KeptOf(const EvictionMark& mark) {
  KeptMark kept{.at = mark.at, .available = {}};
  for (const Signal signal : kPressureSignals) {
    const auto& available = mark.available[PressureIndexOf(signal)];
    if (available) kept.available.emplace_back(signal, *available);
  }
  return kept;
}

}  // namespace

KeptNode Node::Kept() const {
  KeptNode kept;
  for (const NodeConditionType type : kAllNodeConditions) {
    const auto& last = state_.condition_last_observed_at[IndexOf(type)];
    // One that was never observed is as at every start.
    if (!last) continue;
    kept.conditions.push_back({.type = type,
                               .status = state_.conditions.Has(type),
                               .last_observed = last,
                               .changed = condition_changed_at_[IndexOf(type)]});
  }
  const auto& thresholds = settings_.policy.thresholds;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (!state_.first_observed_at[i]) continue;
    kept.thresholds.push_back({.text = TextOf(thresholds[i]),
                               .first_observed = *state_.first_observed_at[i],
                               .overdue = state_.met[i]});
  }
  if (state_.last_eviction) kept.last_eviction = KeptOf(*state_.last_eviction);
  kept.wait = wait_.Kept();
  return kept;
}

void Node::Slept(Duration slept) {
  edges_.pods.PutOffEnds(slept);
  wait_.PutOff(slept);
  const Instant now = edges_.clock.Now();
  for (auto& since : state_.first_observed_at) {
    if (since) since = std::min(*since + slept, now);
  }
}

void Node::Resume(const KeptNode& kept) {
  const Instant now = edges_.clock.Now();
  for (const KeptCondition& condition : kept.conditions) {
    state_.condition_last_observed_at[IndexOf(condition.type)] = condition.last_observed;
    condition_changed_at_[IndexOf(condition.type)] = condition.changed;
    if (condition.status) state_.conditions.Set(condition.type);
  }
  const auto& thresholds = settings_.policy.thresholds;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const auto found =
        std::ranges::find(kept.thresholds, TextOf(thresholds[i]), &KeptThreshold::text);
    if (found == kept.thresholds.end()) continue;
    state_.first_observed_at[i] = found->first_observed;
    state_.met[i] = found->overdue;
  }
  if (kept.last_eviction) {
    EvictionMark& mark = state_.last_eviction.emplace();
    mark.at = kept.last_eviction->at;
    for (const auto& [signal, available] : kept.last_eviction->available) {
      mark.available[PressureIndexOf(signal)] = available;
    }
  }
  if (!kept.wait || kept.wait->pods.empty()) return;
  wait_.Resume(*kept.wait, now);
  // The pace of the resources that evictions are under way for goes on with it.
  const Instant began = *wait_.NextDeadline() - kCleanupTimeout;
  for (const Resource resource : kept.wait->hard_for) {
    pace_.Evicted(resource, true, std::chrono::seconds(kHardEvictionGracePeriodSeconds), began);
  }
  pace_since_ = now;
}

}  // namespace jettison
