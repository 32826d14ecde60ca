#pragma once

#include <cstdint>
#include <vector>

#include "core/model/fault.h"
#include "core/model/threshold.h"
#include "core/thresholds/always_met.h"

namespace jettison {

// If Jettison runs beside a kubelet, our thresholds must lie above the kubelet's of the same
// signal, so that Jettison evicts first and the kubelet does not evict at all. A hard threshold
// must lie above the kubelet's hard one. A soft one must lie above both, and its grace period must
// not be longer than the kubelet's. A signal for which only one of the two has a threshold is not
// compared.

// How a threshold of ours compares with the kubelet's.
enum class KubeletOrder : std::uint8_t {
  kAbove,    // or there is none of the kubelet's
  kUnknown,  // an amount and a percentage, and no capacity
  kNotAbove,
};
[[nodiscard]] KubeletOrder OrderOf(const Threshold& ours, const std::vector<Threshold>& theirs,
                                   const SignalCapacities& capacities);

// A fault for each threshold of ours that is known not to lie above the kubelet's; it names the
// field, both values and what is allowed. The allocatable copy of a hard threshold has no fault of
// its own.
[[nodiscard]] Faults CheckAboveKubelet(const std::vector<Threshold>& ours,
                                       const std::vector<Threshold>& theirs,
                                       const SignalCapacities& capacities);

// Our thresholds without those that are known not to lie above the kubelet's, in their order.
[[nodiscard]] std::vector<Threshold> ThoseAboveKubelet(std::vector<Threshold> ours,
                                                       const std::vector<Threshold>& theirs,
                                                       const SignalCapacities& capacities);

}  // namespace jettison
