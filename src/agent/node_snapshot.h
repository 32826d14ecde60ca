#pragma once

#include <optional>

#include "agent/memory_looks.h"
#include "agent/node_edges.h"
#include "agent/node_passes.h"
#include "agent/snapshot.h"
#include "core/units/duration.h"

namespace jettison {

// How a node stands, for onlookers; NodeIdentity is the caller's to add. `next_by_clock`: the next
// full pass, as in PaceInput.
[[nodiscard]] Snapshot SnapshotOf(const NodePasses& passes, const MemoryLooks& looks,
                                  const NodeEdges& edges, std::optional<Instant> next_by_clock);

}  // namespace jettison
