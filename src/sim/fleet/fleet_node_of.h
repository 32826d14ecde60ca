#pragma once

#include "core/fleet/fleet_node.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// What a fleet keeps of a node. Its name and its inputs are left to the caller.
[[nodiscard]] FleetNode FleetNodeOf(const SimulationReport& report);

// Bytes times seconds as an integer: rounded, from 0 to what 64 bits hold.
[[nodiscard]] std::int64_t WholeByteSeconds(double byte_seconds);

}  // namespace jettison
