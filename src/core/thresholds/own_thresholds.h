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

// The maps of a JettisonConfiguration, one kind of signal after the other: the order of their
// thresholds.
[[nodiscard]] std::span<const SignalMaps* const> AllOwnSignals();

// The names of all maps of all kinds.
[[nodiscard]] std::vector<std::string_view> OwnSettingNames();

// Reads the settings of every kind out of a JettisonConfiguration; faults go to where `fields`
// notes them.
[[nodiscard]] std::vector<Threshold> ReadOwnThresholds(const Fields& fields, Faults& warnings);

// Thresholds on pressure signals (core/model/pressure.h): "pressureHard", "pressureSoft" and
// "pressureSoftGracePeriod". A value is a percentage, more than 0% and at most 100%, with two
// decimals at most, because the kernel tells no more.
extern const SignalMaps kPressureSettings;

// Thresholds on swap.available: "swapHard", "swapSoft" and "swapSoftGracePeriod". A value is an
// amount of more than zero, or a percentage of all swap, more than 0% and at most 100%.
extern const SignalMaps kSwapSettings;

}  // namespace jettison
