#pragma once

#include <optional>

#include "agent/evictions/node_dependencies.h"
#include "agent/passes/node_state.h"
#include "agent/schedule/signal_trends.h"
#include "core/units/duration.h"
#include "view/snapshot.h"

namespace jettison {

// The snapshot of a node for onlookers; the caller adds the NodeIdentity. `next_by_clock` as in
// PaceInput.
[[nodiscard]] Snapshot SnapshotOf(const NodeState& node, const SignalTrends& trends,
                                  const NodeDependencies& dependencies, Instant next_by_clock);

}  // namespace jettison
