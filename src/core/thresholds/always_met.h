#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/fault.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"

namespace jettison {

// The capacity of each signal, in bytes, inodes or process IDs. Absent: not known.
using SignalCapacities = std::array<std::optional<std::int64_t>, kSignalCount>;

// A fault for each threshold on a signal of the kubelet that is always met on a node with these
// capacities (IsAlwaysMet), or has a minimum reclaim that cannot be reached: the field, the value,
// the capacity and what follows. Beside a kubelet
// such a threshold never acts (Evaluate).
[[nodiscard]] Faults CheckAlwaysMet(const std::vector<Threshold>& thresholds,
                                    const SignalCapacities& capacities);

}  // namespace jettison
