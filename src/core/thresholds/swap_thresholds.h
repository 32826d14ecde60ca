#pragma once

#include "core/thresholds/own_thresholds.h"

namespace jettison {

// Thresholds on swap.available: "swapHard", "swapSoft" and "swapSoftGracePeriod". A value is an
// amount of more than zero, or a percentage of all swap, more than 0% and at most 100%.
extern const OwnSignals kSwapSettings;

}  // namespace jettison
