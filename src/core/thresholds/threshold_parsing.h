#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/fault.h"
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

// One entry of one of the maps, and where its faults and warnings go.
struct SettingEntry {
  std::string_view field;  // "evictionHard"
  std::string_view signal;
  std::string_view text;
  ThresholdParsing& parsing;

  void Refuse(std::string message) const;
  void Warn(std::string message) const;
};

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
[[nodiscard]] ThresholdParsing ParseThresholds(const SignalMaps& maps,
                                               const EvictionSettings& settings);

// The same of the kubelet's settings, exactly as it understands them. No defaults are added,
// containerfs.* is not replaced, and thresholds of exactly "0%" and "100%" are left out.
// Source: eviction.ParseThresholdConfig (1.36).
[[nodiscard]] ThresholdParsing ParseThresholds(const EvictionSettings& settings);

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

}  // namespace jettison
