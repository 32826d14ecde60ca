#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/recording/recording.h"
#include "sim/frames/frame_builder.h"
#include "sim/frames/lows.h"
#include "sim/whatif/pod_fates.h"
#include "sim/whatif/simulated_agent.h"
#include "sim/whatif/virtual_segment.h"
#include "sim/whatif/whatif_model.h"

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
  void Settle(const WhatIfNode& node, const Frame& frame) {
    fates_.Settle(node, frame, agent_.IsInForce());
  }
  // The recording ends, or a gap begins.
  void Stop(Instant at) { fates_.Stop(at); }

  [[nodiscard]] PolicyOutcome Outcome() const;

 private:
  void StepRecorded(const VirtualSegment& view);
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

struct WhatIfOptions {
  WhatIfModel model;
  // Passes by the clock alone are seen, so far apart; absent: all.
  std::optional<Duration> thinning;
  // As WhatIfNode::blind.
  bool blind = false;
  bool keep_passes = false;  // as WhatIfNode::keep_passes, and those of recorded evictions
};

// What each policy would have done to the node of a recording. Items are handed in one by one, all
// of them: also where no policy acts, they say how pods grow. What is kept of them does not grow
// with their number.
class WhatIf {
 public:
  WhatIf(std::vector<CandidatePolicy> candidates, WhatIfOptions options);
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;

  void Add(const RecordedItem& item);
  void Finish();

  [[nodiscard]] const RecordingFacts& facts() const { return builder_.facts(); }
  // Beside the candidates.
  [[nodiscard]] std::vector<PolicyOutcome> Outcomes() const;

 private:
  void Go(Frame& frame);
  void Lead(const Segment& segment, bool violations);
  // `before`: when the frame before was taken.
  void Learn(const Frame& frame, std::optional<Instant> before);
  [[nodiscard]] bool HasViolations(const Frame& frame);
  // What all policies look at, at this moment.
  [[nodiscard]] WhatIfNode Node() const;

  const std::vector<CandidatePolicy> candidates_;
  const WhatIfOptions options_;
  PodRoster roster_;
  std::vector<RecordedCourse> courses_;
  std::vector<PolicyRun> runs_;
  FrameBuilder builder_;
  std::optional<Thinning> thinning_;
  RecordedSettings recorded_ = kUsualSettings;
  std::optional<Frame> last_;
  std::vector<ActivePod> scratch_;
};

}  // namespace jettison
