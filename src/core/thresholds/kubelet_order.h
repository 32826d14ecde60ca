#pragma once

#include <vector>

#include "core/model/fault.h"
#include "core/model/threshold.h"
#include "core/thresholds/always_met.h"

namespace jettison {

// If Jettison runs beside a kubelet, our thresholds must lie above the kubelet's of the same
// signal, so that Jettison evicts first and the kubelet does not evict at all. A hard threshold
// must lie above the kubelet's hard one. A soft one must lie above both, and its grace period must
// not be longer than the kubelet's. A signal for which only one of the two has a threshold is not
// compared, nor is a threshold that is the kubelet's own, as that on allocatableMemory.available
// is.
//
// A threshold that does not lie above the kubelet's acts all the same, but only when the kubelet
// has begun to evict.

// A fault for each threshold of ours that is known not to lie above the kubelet's; it names the
// field, both values and what is allowed. An amount and a percentage are compared where the
// capacity is known.
[[nodiscard]] Faults CheckAboveKubelet(const std::vector<Threshold>& ours,
                                       const std::vector<Threshold>& theirs,
                                       const SignalCapacities& capacities);

// Our thresholds, each with the kubelet's line (Threshold::kubelet): the kubelet's threshold of the
// same signal, hard or soft as ours, or else its other one. Where it has none, the line is ours.
// The threshold that enforceNodeAllocatable makes has the kubelet's value: by the limit of the
// group of all pods, pods that keep to their requests leave no more than that.
[[nodiscard]] std::vector<Threshold> BesideKubelet(std::vector<Threshold> ours,
                                                   const std::vector<Threshold>& theirs);

// The thresholds that the lines of ours are, each once. BesideKubelet reads the lines of ours from
// them again.
[[nodiscard]] std::vector<Threshold> KubeletThresholdsOf(const std::vector<Threshold>& ours);

}  // namespace jettison
