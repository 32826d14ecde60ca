#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/fault.h"
#include "core/model/threshold.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {

// The kubelet's threshold plus the margin by which ours on the same signal lies above it, so that
// Jettison evicts before the kubelet sees its own crossed. The margin is an amount and a percentage
// (docs/kubernetes.md), so that it can be added to either without knowing the capacity. A
// percentage stays below 100%: if the margin does not fit, half of the difference to 100% is added.
[[nodiscard]] ThresholdValue WithMargin(Signal signal, const ThresholdValue& theirs);

// The kubelet's default on memory.available, for one that has none of its own.
[[nodiscard]] Threshold KubeletsDefaultMemory();

// Our settings derived from the kubelet's thresholds: each with the margin, soft ones with the
// kubelet's grace periods. Thresholds on disks are left out, because the kubelet frees unused
// images and containers before it evicts for them. One on allocatableMemory.available has no margin
// (WithKubeletLines), and the copy of that on memory.available follows from ours. Percentages that
// are not numbers are left out, too.
[[nodiscard]] EvictionSettings SettingsAbove(std::vector<Threshold> theirs);

// Whether the first value is known not to lie above the second. An amount and a percentage are
// compared where the capacity is known. A percentage that is not a number is below nothing.
[[nodiscard]] bool IsNotAbove(const ThresholdValue& ours, const ThresholdValue& theirs,
                              const std::optional<std::int64_t>& capacity);

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
// field, both values and what is allowed (IsNotAbove).
[[nodiscard]] Faults CheckAboveKubelet(const std::vector<Threshold>& ours,
                                       const std::vector<Threshold>& theirs,
                                       const SignalCapacities& capacities);

// Our thresholds, each with the kubelet's line (Threshold::kubelet): the kubelet's threshold of the
// same signal, hard or soft as ours, or else its other one. Where it has none, the line is ours.
// The threshold that enforceNodeAllocatable makes has the kubelet's value: by the limit of the
// group of all pods, pods that keep to their requests leave no more than that.
[[nodiscard]] std::vector<Threshold> WithKubeletLines(std::vector<Threshold> ours,
                                                      const std::vector<Threshold>& theirs);

// The thresholds that the lines of ours are, each once. WithKubeletLines reads the lines of ours
// from them again.
[[nodiscard]] std::vector<Threshold> KubeletThresholdsOf(const std::vector<Threshold>& ours);

}  // namespace jettison
