#include "agent/passes/pass_policies.h"

#include <algorithm>
#include <utility>

namespace jettison {

PassPolicies::PassPolicies(PassPolicy policy)
    : full_(std::make_shared<const PassPolicy>(std::move(policy))) {
  PassPolicy without_limits = *full_;
  without_limits.local_storage_capacity_isolation = false;
  watch_ = std::make_shared<const PassPolicy>(std::move(without_limits));
}

bool PassPolicies::NeedDiskUse() const {
  return full_->local_storage_capacity_isolation ||
         std::ranges::any_of(full_->thresholds, [](const Threshold& threshold) {
           return ConditionOf(threshold.signal) == NodeConditionType::kDiskPressure;
         });
}

}  // namespace jettison
