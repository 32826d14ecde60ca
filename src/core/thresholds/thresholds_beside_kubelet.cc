#include "core/thresholds/thresholds_beside_kubelet.h"

#include <utility>

namespace jettison {

Faults ThresholdsBesideKubelet::Set(std::vector<Threshold> ours,
                                    std::optional<std::vector<Threshold>> theirs) {
  ours_ = std::move(ours);
  theirs_ = std::move(theirs);
  of_capacity_.reset();
  if (!theirs_) return {};
  for (const Threshold& threshold : ours_) {
    if (OrderOf(threshold, *theirs_, {}) != KubeletOrder::kUnknown) continue;
    of_capacity_.set(IndexOf(threshold.signal));
  }
  return CheckAboveKubelet(ThoseAboveKubelet(ours_, *theirs_, {}), *theirs_, capacities_);
}

std::vector<Threshold> ThresholdsBesideKubelet::Usable() const {
  std::vector<Threshold> usable = ours_;
  if (!theirs_) return usable;
  std::erase_if(usable, [this](const Threshold& threshold) {
    return OrderOf(threshold, *theirs_, capacities_) != KubeletOrder::kAbove;
  });
  return usable;
}

bool ThresholdsBesideKubelet::TakeCapacities(const SignalCapacities& capacities) {
  bool changed = false;
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    if (!capacities[i] || capacities[i] == capacities_[i]) continue;
    capacities_[i] = capacities[i];
    changed = changed || of_capacity_[i];
  }
  return changed;
}

ThresholdsBesideKubelet::Learned ThresholdsBesideKubelet::Learn(
    const SignalCapacities& capacities) {
  const SignalCapacities before = capacities_;
  if (!TakeCapacities(capacities)) return {};
  Learned learned;
  bool differs = false;
  for (const Threshold& threshold : ours_) {
    const KubeletOrder was = OrderOf(threshold, *theirs_, before);
    const KubeletOrder is = OrderOf(threshold, *theirs_, capacities_);
    differs = differs || was != is;
    const bool one_is_above = was == KubeletOrder::kAbove || is == KubeletOrder::kAbove;
    learned.usable_changed = learned.usable_changed || (was != is && one_is_above);
  }
  if (!differs) return learned;
  // Thresholds that were known to be wrong before have been reported already.
  learned.faults =
      CheckAboveKubelet(ThoseAboveKubelet(ours_, *theirs_, before), *theirs_, capacities_);
  return learned;
}

}  // namespace jettison
