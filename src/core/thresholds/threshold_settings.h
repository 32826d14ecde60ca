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

// The same where the signal is known: of pressure it is the share that may be lost.
[[nodiscard]] std::string ThresholdText(Signal signal, const ThresholdValue& value);

// The settings that the thresholds on these signals come from; ParseThresholds reads them to the
// same thresholds. The copy for allocatable memory, which follows from another, is left out. A
// minimum reclaim is of its signal.
[[nodiscard]] EvictionSettings SettingsOf(const SignalMaps& maps,
                                          const std::vector<Threshold>& thresholds);
// Those of a KubeletConfiguration.
[[nodiscard]] EvictionSettings SettingsOf(const std::vector<Threshold>& thresholds);

// The place of the threshold on allocatableMemory.available that enforceNodeAllocatable makes of
// the hard one on memory.available. None: there is no such copy, though perhaps one of its own.
[[nodiscard]] std::optional<std::size_t> CopyForPods(const std::vector<Threshold>& thresholds);

// Thresholds that were read without that copy, with it. A soft threshold without a grace period is
// hard, and copied as well.
[[nodiscard]] std::vector<Threshold> WithCopyForPods(std::vector<Threshold> thresholds);

// The capacity of each signal, in bytes, inodes or process IDs. Absent: not known.
using SignalCapacities = std::array<std::optional<std::int64_t>, kSignalCount>;

// A fault for each threshold on a signal of the kubelet that is always met on a node with these
// capacities (IsAlwaysMet), or has a minimum reclaim that cannot be reached: the field, the value,
// the capacity and what follows. Beside a kubelet
// such a threshold never acts (Evaluate).
[[nodiscard]] Faults CheckAlwaysMet(const std::vector<Threshold>& thresholds,
                                    const SignalCapacities& capacities);

// The signal whose thresholds replace those of this one: of containerfs.* that of nodefs.* or
// imagefs.*, of any other the signal itself.
[[nodiscard]] Signal ContainerFsSource(Signal signal, DiskLayout layout);

// The effective thresholds on a node with this layout. Hard and soft thresholds on containerfs.*
// are always replaced: by those on nodefs.* if there is one file system, or if images and writable
// layers are apart; by those on imagefs.* if images and writable layers share a file system of
// their own. If nodefs or imagefs has no threshold, containerfs has none. The order of the others
// is kept; the replacements come last. `layout` absent: it is not known yet; then it counts as one
// file system, and thresholds on imagefs are left out, because the figures of nodefs in the place
// of those of imagefs could cost a pod its life.
// Source: eviction.UpdateContainerFsThresholds (1.36).
[[nodiscard]] std::vector<Threshold> ThresholdsFor(const std::vector<Threshold>& configured,
                                                   const std::optional<DiskLayout>& layout);

}  // namespace jettison
