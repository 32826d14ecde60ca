#pragma once

#include <functional>
#include <string_view>

#include "sim/fleet/fleet_report.h"

namespace jettison {

// Tables of a fleet as streams of Arrow. False where nodes or pieces failed. The metadata of each
// schema name the program's version, the options, and the hash of the recordings.
[[nodiscard]] bool WriteFleetPoliciesArrow(const FleetReport& report, const PutPiece& put);
[[nodiscard]] bool WriteFleetNodesArrow(const FleetReport& report, const VisitNodes& nodes,
                                        const PutPiece& put);
[[nodiscard]] bool WriteFleetEvictionsArrow(const FleetReport& report, const VisitNodes& nodes,
                                            const PutPiece& put);

}  // namespace jettison
