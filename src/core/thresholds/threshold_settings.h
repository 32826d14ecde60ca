#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/fault.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {

// An amount or percentage as a configuration would say it: "100Mi", "10%". ParseThresholds reads it
// to the same value, to the last bit of a percentage.
[[nodiscard]] std::string ThresholdText(const ThresholdValue& value);

// The settings of a KubeletConfiguration that these thresholds come from; ParseThresholds reads
// them to the same thresholds. Those on pressure and swap, which the kubelet does not have, and the
// copy for allocatable memory, which follows from another, are left out. A minimum reclaim is of
// its signal.
[[nodiscard]] EvictionSettings SettingsOf(const std::vector<Threshold>& thresholds);

// The place of the threshold on allocatableMemory.available that enforceNodeAllocatable makes of
// the hard one on memory.available. None: there is no such copy, though perhaps one of its own.
[[nodiscard]] std::optional<std::size_t> CopyForPods(const std::vector<Threshold>& thresholds);

// Thresholds that were read without that copy, with it where it would have been read, and the other
// way round. A soft threshold without a grace period is hard, and copied as well.
[[nodiscard]] std::vector<Threshold> WithCopyForPods(std::vector<Threshold> thresholds);
[[nodiscard]] std::vector<Threshold> WithoutCopyForPods(std::vector<Threshold> thresholds);

// The capacity of each signal, in bytes, inodes or process IDs. Absent: not known.
using SignalCapacities = std::array<std::optional<std::int64_t>, kSignalCount>;

// A fault for each threshold on a signal of the kubelet that is always met on a node with these
// capacities (IsAlwaysMet), or has a minimum reclaim that cannot be reached: the field, the value,
// the capacity and what follows. Beside a kubelet
// such a threshold never acts (Evaluate).
[[nodiscard]] Faults CheckAlwaysMet(const std::vector<Threshold>& thresholds,
                                    const SignalCapacities& capacities);

}  // namespace jettison
