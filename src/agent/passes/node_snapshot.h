#pragma once

#include <optional>

#include "agent/evictions/node_edges.h"
#include "agent/looks/signal_trends.h"
#include "agent/passes/node_passes.h"
#include "core/units/duration.h"
#include "view/snapshot.h"

namespace jettison {

// The snapshot of a node for onlookers; the caller adds the NodeIdentity. `next_by_clock`: the next
// full pass, as in PaceInput.
[[nodiscard]] Snapshot SnapshotOf(const NodePasses& passes, const SignalTrends& trends,
                                  const NodeEdges& edges, std::optional<Instant> next_by_clock);

}  // namespace jettison
