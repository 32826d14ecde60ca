#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/thresholds/fields.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {

// One kind of Jettison's own signals, and the three maps by signal name in which a
// JettisonConfiguration sets thresholds on them.
struct OwnSignals {
  std::string_view kind;               // as in "no pressure signal has this name"
  std::string_view hard;               // "pressureHard"
  std::string_view soft;               // "pressureSoft"
  std::string_view soft_grace_period;  // "pressureSoftGracePeriod"
  std::span<const Signal> signals;
  // Parses a value; absent: it breaks `value_rule`, which the fault then quotes.
  std::optional<ThresholdValue> (*value_of)(std::string_view text);
  std::string_view value_rule;
  // A warning about a value that is accepted; empty: none.
  std::string_view (*warning_of)(const ThresholdValue& value);
};

// The contents of the three maps as unparsed text.
struct OwnSettings {
  SignalSettings hard;
  SignalSettings soft;
  SignalSettings soft_grace_period;  // Go durations
};

// The thresholds that the settings describe, hard by signal, then soft by signal; every fault and
// warning, keys as "pressureHard[io.pressure.full.avg10]", file left empty. Each soft threshold has
// a grace period of more than zero. There is no minimum reclaim.
[[nodiscard]] ThresholdParsing ParseOwnThresholds(const OwnSignals& own,
                                                  const OwnSettings& settings);

// Every kind, in the order of their thresholds.
[[nodiscard]] std::span<const OwnSignals* const> AllOwnSignals();

// The kind that this signal is of; null: it is the kubelet's.
[[nodiscard]] const OwnSignals* OwnSignalsOf(Signal signal);

// The names of all maps of all kinds.
[[nodiscard]] std::vector<std::string_view> OwnSettingNames();

// Reads the settings of every kind out of a JettisonConfiguration; faults go to where `fields`
// notes them.
[[nodiscard]] std::vector<Threshold> ReadOwnThresholds(const Fields& fields, Faults& warnings);

// Thresholds on pressure signals (core/model/pressure.h): "pressureHard", "pressureSoft" and
// "pressureSoftGracePeriod". A value is a percentage, more than 0% and at most 100%, with two
// decimals at most, because the kernel tells no more.
extern const OwnSignals kPressureSettings;

// Thresholds on swap.available: "swapHard", "swapSoft" and "swapSoftGracePeriod". A value is an
// amount of more than zero, or a percentage of all swap, more than 0% and at most 100%.
extern const OwnSignals kSwapSettings;

}  // namespace jettison
