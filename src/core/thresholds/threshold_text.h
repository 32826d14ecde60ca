#pragma once

#include <string>

#include "core/model/threshold.h"

namespace jettison {

// An amount or percentage as a configuration would say it: "100Mi", "10%". ParseThresholds reads it
// to the same value, to the last bit of a percentage.
[[nodiscard]] std::string ThresholdText(const ThresholdValue& value);

}  // namespace jettison
