#pragma once

#include "core/recording/recording.h"
#include "sim/frames/segment.h"
#include "sim/whatif/pod_fates.h"
#include "sim/whatif/simulated_agent.h"
#include "sim/whatif/virtual_segment.h"
#include "sim/whatif/whatif_node.h"
#include "sim/whatif/whatif_result.h"

namespace jettison {

// One policy on the node of a recording. The class walks from frame to frame, has the agent look
// where something happens and the pods fare as they then do, and counts what comes of it.
class PolicyRun {
 public:
  explicit PolicyRun(const CandidatePolicy& candidate);

  // The first frame, or one of which nothing before is known. Stop was called in between.
  void Begin(const WhatIfNode& node, const Frame& frame);
  // From one frame to the next. `violations`: whether a pod broke a storage limit at the end.
  void Advance(const WhatIfNode& node, const Segment& segment, bool violations);
  // Once the courses have taken in the frame that Advance led to.
  void Settle(const WhatIfNode& node, const Frame& frame) { fates_.Settle(node, frame); }
  // The recording ends, or a gap begins.
  void Stop(Instant at) { fates_.Stop(at); }

  [[nodiscard]] PolicyOutcome Outcome() const;

 private:
  [[nodiscard]] bool IsQuiet() const { return fates_.pods().empty() && agent_.IsQuiet(); }
  // Nothing happens in the segment.
  void PassOver(const Segment& segment);
  void StepRecorded(const VirtualSegment& view, bool violations);
  void WalkThrough(const VirtualSegment& view, bool violations);
  [[nodiscard]] Instant NextStop(const WhatIfNode& node, Instant now, Instant end) const;
  void MoveTo(const VirtualSegment& view, Instant from, Instant to);
  void CountTime(Duration time, double idle);
  void MakePass(const VirtualSegment& view, const SimulatedAgent::Look& look);
  void TakeEvictions(const VirtualSegment& view, const SimulatedPass& made);

  SimulatedAgent agent_;
  PodFates fates_;
  PolicyOutcome outcome_;  // without what `fates_` counts
};

}  // namespace jettison
