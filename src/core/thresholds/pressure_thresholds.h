#pragma once

#include "core/thresholds/own_thresholds.h"

namespace jettison {

// Thresholds on pressure signals (core/model/pressure.h): "pressureHard", "pressureSoft" and
// "pressureSoftGracePeriod". A value is a percentage, more than 0% and at most 100%, with two
// decimals at most, because the kernel tells no more.
extern const OwnSignals kPressureSettings;

}  // namespace jettison
