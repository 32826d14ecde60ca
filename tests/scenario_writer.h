#pragma once

#include <string>

#include "sim/scenario.h"

namespace jettison {

// A scenario as the JSON record that `jettison replay` reads; policies with absolute thresholds and
// percentages, every field that the values carry.
[[nodiscard]] std::string WriteScenario(const Scenario& scenario);

}  // namespace jettison
