#pragma once

#include <optional>
#include <vector>

#include "core/decide/eviction_pace.h"
#include "core/model/threshold.h"
#include "core/pass/recorded_pass.h"
#include "core/pods/pod_facts.h"
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

  [[nodiscard]] const WhatIfNode& node() const { return node_; }
  [[nodiscard]] const Segment& segment() const { return segment_; }
  [[nodiscard]] const VirtualPods& pods() const { return pods_; }

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
                                                     const EvictionState& state,
                                                     const PolicyLines& lines, Instant from,
                                                     Instant to) const;
  // `active` becomes the pods that are active then, with figures for that moment. `stats` holds
  // these figures and has to live as long as `active`.
  void ActivePodsAt(Instant at, std::vector<PodStats>& stats, std::vector<ActivePod>& active) const;
  // The result is a pass with these pods as if it had been recorded. Its policy, and the state and
  // the pace that it began with, are not filled in.
  [[nodiscard]] RecordedPass PassOf(const CycleReport& report,
                                    const std::vector<ActivePod>& active) const;
  // Adds to what a pace is decided by how fast memory is taken. `active` may be evicted.
  void MeasureGrowth(Instant at, const std::vector<ActivePod>& active, PaceInput& pace) const;
  // Of something that happens then. What is not known of when the threshold was met, for which it
  // is, is not known of this either.
  [[nodiscard]] TimeBounds BoundsAt(Instant at, const std::optional<TimeBounds>& met) const;

 private:
  [[nodiscard]] std::vector<PodSlot> SlotsThere(const Frame& recorded) const;

  const WhatIfNode& node_;
  const Segment& segment_;
  const VirtualPods& pods_;
};

}  // namespace jettison
