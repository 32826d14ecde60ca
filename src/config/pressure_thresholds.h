#pragma once

#include <vector>

#include "config/fields.h"
#include "config/threshold_parsing.h"
#include "model/fault.h"
#include "model/threshold.h"

namespace jettison {

// The pressure settings of JettisonConfiguration as they are written, nothing understood yet.
struct PressureSettings {
  SignalSettings hard;               // pressureHard: percentage
  SignalSettings soft;               // pressureSoft: percentage
  SignalSettings soft_grace_period;  // pressureSoftGracePeriod: Go duration
};

// The thresholds on pressure signals (model/pressure.h) that the settings describe, hard by signal,
// then soft by signal; every fault and warning, keys as "pressureHard[io.pressure.full.avg10]",
// file left empty. A percentage is more than 0% and at most 100%, with two decimals at most,
// because the kernel tells no more. Each soft threshold has a grace period of more than zero.
[[nodiscard]] ThresholdParsing ParsePressureThresholds(const PressureSettings& settings);

// Reads the settings out of a JettisonConfiguration; faults go to where `fields` notes them.
[[nodiscard]] std::vector<Threshold> ReadPressureThresholds(const Fields& fields, Faults& warnings);

}  // namespace jettison
