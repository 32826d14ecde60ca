#include "agent/passes/pass_policies.h"

#include <algorithm>
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

}  // namespace

PassPolicies::PassPolicies(PassPolicy policy)
    : full_(std::make_shared<const PassPolicy>(std::move(policy))),
      watch_(WithoutLimits(*full_)),
      full_in_wait_(WithHardFirst(full_)),
      watch_in_wait_(WithHardFirst(watch_)),
      lines_(LinesOf(full_->thresholds)) {}

bool PassPolicies::NeedDiskUse() const {
  return full_->local_storage_capacity_isolation ||
         std::ranges::any_of(full_->thresholds, [](const Threshold& threshold) {
           return ConditionOf(threshold.signal) == NodeConditionType::kDiskPressure;
         });
}

}  // namespace jettison
