#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/fault.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"

namespace jettison {

// Two agents, one order: where Jettison stands beside a kubelet, a threshold of ours has to lie
// above the kubelet's of the same signal, so that we evict first and the kubelet not at all. A hard
// one lies above the hard one, a soft one above both, and the grace period of a soft one is no
// longer than that of the kubelet's. A signal that the kubelet has no threshold of is ours alone,
// and one that only the kubelet has a threshold of is the kubelet's.

// What each signal has in all: bytes, inodes or process ids. Absent: not known (yet), so that an
// amount cannot be compared with a percentage.
using SignalCapacities = std::array<std::optional<std::int64_t>, kSignalCount>;

// How a threshold of ours lies to the kubelet's.
enum class KubeletOrder : std::uint8_t {
  kAbove,    // or there is none of the kubelet's
  kUnknown,  // an amount and a percentage, and no capacity
  kNotAbove,
};
[[nodiscard]] KubeletOrder OrderOf(const Threshold& ours, const std::vector<Threshold>& theirs,
                                   const SignalCapacities& capacities);

// A fault for each threshold of ours that is known not to lie above, naming its field, both values
// and what is allowed. The allocatable copy of a hard threshold is told of with that.
[[nodiscard]] Faults CheckAboveKubelet(const std::vector<Threshold>& ours,
                                       const std::vector<Threshold>& theirs,
                                       const SignalCapacities& capacities);

// What may be evicted by: ours without those that are known not to lie above, in their order.
[[nodiscard]] std::vector<Threshold> ThoseAboveKubelet(std::vector<Threshold> ours,
                                                       const std::vector<Threshold>& theirs,
                                                       const SignalCapacities& capacities);

}  // namespace jettison
