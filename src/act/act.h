#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/decide/decide.h"
#include "core/decide/eviction_order.h"
#include "core/observe/observations.h"
#include "core/units/result.h"
#include "ports/node_actions.h"

namespace jettison {

// The ports through which a pass acts.
struct NodePorts {
  PodKiller& killer;
  NodeReclaimer& reclaimer;
  SummarySource& summaries;
};

// The result of node-level reclaim.
struct ReclaimOutcome {
  std::vector<ReclaimStep> attempted;
  std::vector<std::string> errors;
  bool under_way = false;            // not over yet, so no pod may be evicted now
  bool relieved = false;             // no threshold is met any more: no eviction is needed
  std::optional<Observations> seen;  // read afterwards; absent: nothing was read
};

// Runs each step, then reads the node again to decide whether pressure is relieved. Without steps,
// nothing is read and pressure is not relieved. While a step is still under way, nothing is read
// either, because the figures do not show yet what it frees: a pass after its end reclaims again.
[[nodiscard]] ReclaimOutcome Reclaim(std::span<const ReclaimStep> steps,
                                     std::span<const Threshold> thresholds, NodePorts& ports);

}  // namespace jettison
