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

// The edges that a pass may touch.
struct NodePorts {
  PodKiller& killer;
  NodeReclaimer& reclaimer;
  SummarySource& summaries;
};

// What became of node-level reclaim.
struct ReclaimOutcome {
  std::vector<ReclaimStep> attempted;
  std::vector<std::string> errors;
  bool under_way = false;            // not over yet: too early to tell, nobody may die for it now
  bool relieved = false;             // no threshold is met any more: nobody has to die
  std::optional<Observations> seen;  // afterwards; absent where nothing was read
};

// Tries each step, then reads the node again and asks whether pressure is relieved. With no step
// nothing is read and pressure stays. Where a step is still under way nothing is read either: what
// it frees does not show yet, and the same is to be asked again in a pass after its end.
[[nodiscard]] ReclaimOutcome Reclaim(std::span<const ReclaimStep> steps,
                                     std::span<const Threshold> thresholds, NodePorts& ports);

}  // namespace jettison
