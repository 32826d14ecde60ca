#pragma once

#include <optional>
#include <vector>

#include "core/decide/eviction_pace.h"
#include "core/model/threshold.h"
#include "sim/whatif/policy_lines.h"
#include "sim/whatif/virtual_node.h"
#include "sim/whatif/whatif_node.h"
#include "sim/whatif/whatif_result.h"

namespace jettison {

// Whether the agent looks at the signal between its passes.
[[nodiscard]] bool IsWatched(Signal signal);

// A segment as it is under a policy, whose pods are partly virtual. It only looks.
class VirtualSegment {
 public:
  VirtualSegment(const WhatIfNode& node, const Segment& segment, const VirtualPods& pods)
      : node_(node), segment_(segment), pods_(pods) {}

  // What is available of memory.available, or of that signal of memory.
  [[nodiscard]] double LeftAt(Instant at, Signal signal = Signal::kMemoryAvailable) const;
  [[nodiscard]] Observations SeenAt(Instant at) const {
    return pods_.SeenAt(segment_, node_.courses, at);
  }
  [[nodiscard]] double MemoryAt(PodSlot slot, Instant at) const {
    return pods_.MemoryAt(slot, segment_, node_.courses, at);
  }
  // When the first line is crossed that was not met until then; lines on what the agent looks at
  // between its passes.
  [[nodiscard]] std::optional<Instant> FirstCrossing(const std::vector<Threshold>& thresholds,
                                                     const EvictionState& state, PolicyLines& lines,
                                                     Instant from, Instant to) const;
  // Adds to what a pace is decided by how fast memory is taken. `active` may be evicted.
  void MeasureGrowth(Instant at, const std::vector<ActivePod>& active, PaceInput& pace) const;
  // Of something that happens then. What is not known of when the threshold was met, for which it
  // is, is not known of this either.
  [[nodiscard]] TimeBounds BoundsAt(Instant at, const std::optional<TimeBounds>& met) const;

 private:
  const WhatIfNode& node_;
  const Segment& segment_;
  const VirtualPods& pods_;
};

}  // namespace jettison
