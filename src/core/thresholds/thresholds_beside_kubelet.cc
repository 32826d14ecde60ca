#include "core/thresholds/thresholds_beside_kubelet.h"

#include <algorithm>
#include <utility>

namespace jettison {

void ThresholdsBesideKubelet::Set(std::vector<Threshold> ours,
                                  std::optional<std::vector<Threshold>> theirs) {
  ours_ = std::move(ours);
  theirs_ = std::move(theirs);
}

std::vector<Threshold> ThresholdsBesideKubelet::Usable() const {
  std::vector<Threshold> usable = ours_;
  if (!theirs_) return usable;
  std::erase_if(usable, [this](const Threshold& threshold) {
    return OrderOf(threshold, *theirs_, capacities_) != KubeletOrder::kAbove;
  });
  return usable;
}

bool ThresholdsBesideKubelet::AwaitsCapacities() const {
  return theirs_ && std::ranges::any_of(ours_, [this](const Threshold& threshold) {
           return OrderOf(threshold, *theirs_, capacities_) == KubeletOrder::kUnknown;
         });
}

Faults ThresholdsBesideKubelet::Learn(const SignalCapacities& capacities) {
  if (!theirs_) return {};
  // Thresholds that were known to be wrong before have been reported already.
  const std::vector<Threshold> open = ThoseAboveKubelet(ours_, *theirs_, capacities_);
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    if (capacities[i]) capacities_[i] = capacities[i];
  }
  return CheckAboveKubelet(open, *theirs_, capacities_);
}

}  // namespace jettison
