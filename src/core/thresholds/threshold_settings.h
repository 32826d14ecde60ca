#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/fault.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"

namespace jettison {

// A map of a configuration: signal name to what is said of it.
using SignalSettings = std::map<std::string, std::string, std::less<>>;

// The eviction settings as unparsed text; those of Jettison's own signals have no minimum reclaim.
struct EvictionSettings {
  SignalSettings hard;               // evictionHard: amount or percentage
  SignalSettings soft;               // evictionSoft: amount or percentage
  SignalSettings soft_grace_period;  // evictionSoftGracePeriod: Go duration
  SignalSettings minimum_reclaim;    // evictionMinimumReclaim: amount or percentage
  bool enforce_pods = false;         // enforceNodeAllocatable has "pods"
};

// The kubelet's default for an absent evictionHard (Linux).
[[nodiscard]] const SignalSettings& DefaultEvictionHard();

struct ThresholdParsing {
  std::vector<Threshold> thresholds;  // hard by signal, soft by signal, then allocatable copies
  Faults warnings;
  Faults faults;  // file left empty; keys as "evictionHard[memory.available]"
};

struct SettingEntry;  // one entry of one of the maps

// Signals that are set in the same maps, by signal name.
struct SignalMaps {
  std::string_view of;                 // as in "is not a signal of the kubelet"
  std::string_view kind;               // as in "no pressure signal has this name"
  std::string_view hard;               // "pressureHard"
  std::string_view soft;               // "pressureSoft"
  std::string_view soft_grace_period;  // "pressureSoftGracePeriod"
  std::string_view document;           // that has them: "JettisonConfiguration"
  std::span<const Signal> signals;
  // Reads a value; absent: the threshold is switched off, or the entry has got a fault.
  std::optional<ThresholdValue> (*value_of)(const SettingEntry& entry);
  bool zero_grace = false;  // a soft threshold may act at once
};

// Those of a KubeletConfiguration.
[[nodiscard]] const SignalMaps& KubeletSignalMaps();
// Those of a JettisonConfiguration, in the order of their thresholds: on pressure
// (core/model/pressure.h) and on swap. A value on pressure is a percentage, more than 0% and at
// most 100%, with two decimals at most, because the kernel tells no more; one on swap is an amount
// of more than zero, or a percentage of all swap, more than 0% and at most 100%.
[[nodiscard]] std::span<const SignalMaps> OwnSignalMaps();

// The thresholds that the settings describe, with every fault instead of the first. Each soft
// threshold needs a grace period.
//
// The kubelet's settings are read exactly as it understands them. No defaults are added,
// containerfs.* is not replaced, and thresholds of exactly "0%" and "100%" are left out.
// Source: eviction.ParseThresholdConfig (1.36).
[[nodiscard]] ThresholdParsing ParseThresholds(const EvictionSettings& settings,
                                               const SignalMaps& maps = KubeletSignalMaps());

class Fields;
// The maps of these signals as they stand in a document, without minimum reclaims.
[[nodiscard]] EvictionSettings SettingsIn(const Fields& fields, const SignalMaps& maps);
// Reads the settings of a JettisonConfiguration; faults go to where `fields` notes them.
[[nodiscard]] std::vector<Threshold> ReadOwnThresholds(const Fields& fields, Faults& warnings);
// The names of all its maps.
[[nodiscard]] std::vector<std::string_view> OwnSettingNames();

// Go's strconv.ParseFloat(text, 32): decimal ("1e1", ".5", "1_0"), hexadecimal ("0x1p-2"), "Inf"
// and "NaN", rounded to the nearest 32-bit float. Absent where Go reports an error: bad syntax, or
// a number too large.
[[nodiscard]] std::optional<float> ParseGoFloat32(std::string_view text);

// An amount or percentage as a configuration would say it: "100Mi", "10%". ParseThresholds reads it
// to the same value, to the last bit of a percentage.
[[nodiscard]] std::string ThresholdText(const ThresholdValue& value);

// The same where the signal is known: of pressure it is the share that may be lost.
[[nodiscard]] std::string ThresholdText(Signal signal, const ThresholdValue& value);

// The settings that the thresholds on these signals come from; ParseThresholds reads them to the
// same thresholds. The copy for allocatable memory, which follows from another, is left out. A
// minimum reclaim is of its signal.
[[nodiscard]] EvictionSettings SettingsOf(const std::vector<Threshold>& thresholds,
                                          const SignalMaps& maps = KubeletSignalMaps());

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
