#include "agent/passes/node_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace jettison {
namespace {

using SharedPolicy = std::shared_ptr<const PassPolicy>;

SharedPolicy WithoutLimits(PassPolicy policy) {
  policy.local_storage_capacity_isolation = false;
  return std::make_shared<const PassPolicy>(std::move(policy));
}

// The same object where nothing changes, because a recording holds each policy once.
SharedPolicy WithHardFirst(const SharedPolicy& policy) {
  if (policy->hard_first) return policy;
  PassPolicy hard_first = *policy;
  hard_first.hard_first = true;
  return std::make_shared<const PassPolicy>(std::move(hard_first));
}

std::vector<Threshold> LinesOf(const std::vector<Threshold>& thresholds) {
  std::vector<Threshold> lines;
  for (const Threshold& threshold : thresholds) {
    lines.push_back(threshold);
    const auto& line = threshold.kubelet;
    if (!line || line->value == threshold.value) continue;
    lines.push_back({.signal = threshold.signal, .value = line->value});
  }
  return lines;
}

std::string TextOf(const ThresholdValue& value) {
  if (const auto* quantity = std::get_if<Quantity>(&value)) return quantity->ToString();
  return fmt::format("{}", std::get<Percentage>(value).fraction);
}

// The identity of a threshold: a different text is a different threshold.
std::string TextOf(const Threshold& threshold) {
  return fmt::format("{}<{} for {} reclaim {}", NameOf(threshold.signal), TextOf(threshold.value),
                     FormatDuration(threshold.grace_period),
                     threshold.min_reclaim ? TextOf(*threshold.min_reclaim) : "nothing");
}

SavedMark SavedOf(const EvictionMark& mark) {
  SavedMark kept{.at = mark.at, .available = {}};
  for (const Signal signal : kPressureSignals) {
    const auto& available = mark.available[PressureIndexOf(signal)];
    if (available) kept.available.emplace_back(signal, *available);
  }
  return kept;
}

}  // namespace

PassPolicies::PassPolicies(PassPolicy policy)
    : full_(std::make_shared<const PassPolicy>(std::move(policy))),
      watch_(WithoutLimits(*full_)),
      in_wait_(WithHardFirst(watch_)),
      lines_(LinesOf(full_->thresholds)) {}

bool PassPolicies::NeedDiskUse() const {
  return full_->local_storage_capacity_isolation ||
         std::ranges::any_of(full_->thresholds, [](const Threshold& threshold) {
           return ConditionOf(threshold.signal) == NodeConditionType::kDiskPressure;
         });
}

std::vector<const PodFacts*> PointersTo(std::span<const SharedPodFacts> pods) {
  std::vector<const PodFacts*> pointers;
  for (const SharedPodFacts& pod : pods) pointers.push_back(pod.get());
  return pointers;
}

SavedNode SavedOf(const NodeStanding& standing, std::span<const Threshold> thresholds) {
  const EvictionState& state = standing.state;
  SavedNode kept;
  for (const NodeConditionType type : kAllNodeConditions) {
    const auto& last = state.condition_last_observed_at[IndexOf(type)];
    // A condition that was never observed needs no record: that is how each agent starts.
    if (!last) continue;
    kept.conditions.push_back({.type = type,
                               .status = state.conditions.Has(type),
                               .last_observed = last,
                               .changed = standing.condition_changed_at[IndexOf(type)]});
  }
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (!state.first_observed_at[i]) continue;
    kept.thresholds.push_back({.text = TextOf(thresholds[i]),
                               .first_observed = *state.first_observed_at[i],
                               .overdue = state.met[i]});
  }
  if (state.last_eviction) kept.last_eviction = SavedOf(*state.last_eviction);
  return kept;
}

void Resume(const SavedNode& kept, std::span<const Threshold> thresholds, NodeStanding& standing) {
  EvictionState& state = standing.state;
  for (const SavedCondition& condition : kept.conditions) {
    state.condition_last_observed_at[IndexOf(condition.type)] = condition.last_observed;
    standing.condition_changed_at[IndexOf(condition.type)] = condition.changed;
    if (condition.status) state.conditions.Set(condition.type);
  }
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const auto found =
        std::ranges::find(kept.thresholds, TextOf(thresholds[i]), &SavedThreshold::text);
    if (found == kept.thresholds.end()) continue;
    state.first_observed_at[i] = found->first_observed;
    state.met[i] = found->overdue;
  }
  if (kept.last_eviction) {
    EvictionMark& mark = state.last_eviction.emplace();
    mark.at = kept.last_eviction->at;
    for (const auto& [signal, available] : kept.last_eviction->available) {
      mark.available[PressureIndexOf(signal)] = available;
    }
  }
}

bool IsSavedAlike(const EvictionState& a, const EvictionState& b) {
  const auto at = [](const EvictionState& state) {
    return state.last_eviction ? state.last_eviction->at : Instant::min();
  };
  return a.conditions == b.conditions && a.met == b.met &&
         a.first_observed_at == b.first_observed_at && at(a) == at(b);
}

}  // namespace jettison
