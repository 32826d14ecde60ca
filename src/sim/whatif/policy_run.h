#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "act/pass.h"
#include "core/evaluate/evaluate.h"
#include "core/recording/recording.h"
#include "sim/frames/segment.h"
#include "sim/whatif/comebacks.h"
#include "sim/whatif/policy_lines.h"
#include "sim/whatif/sim_pace.h"
#include "sim/whatif/virtual_segment.h"
#include "sim/whatif/whatif_node.h"
#include "sim/whatif/whatif_result.h"

namespace jettison {

// One policy on the node of a recording.
class PolicyRun {
 public:
  explicit PolicyRun(const CandidatePolicy& candidate);

  // The first frame, or one of which nothing before is known.
  void Begin(const WhatIfNode& node, const Frame& frame);
  // From one frame to the next. `violations`: whether a pod broke a storage limit at the end.
  void Advance(const WhatIfNode& node, const Segment& segment, bool violations);
  // Once the courses have taken in the frame that Advance led to.
  void Settle(const WhatIfNode& node, const Frame& frame);
  // Whether the policy could do anything in passes of which only that is known.
  [[nodiscard]] bool MayActIn(const RecordedStretch& stretch);
  // Nothing happens for so long.
  void PassOver(Duration time, const Observations& seen);
  // The recording ends, or a gap begins.
  void Stop(Instant at);

  [[nodiscard]] const PolicyOutcome& outcome() const { return outcome_; }

 private:
  struct Away {  // evicted as in the recording
    PodSlot slot = 0;
    unsigned life = 0;
    Instant since;
  };
  // One way through a segment.
  struct Walk {
    const WhatIfNode& node;
    const Segment& segment;
    bool violations = false;
  };
  // What has changed since the last look at it.
  struct Step {
    Instant from;
    Instant to;
    double memory_from = 0;
    double memory_to = 0;
  };

  void TakePolicy(const RecordedPass& recorded);
  void SetPolicy(PassPolicy policy);
  [[nodiscard]] bool IsQuiet() const;
  [[nodiscard]] bool IsInStep(const Walk& walk) const;
  void StepRecorded(const Walk& walk);
  void WalkThrough(const Walk& walk);
  void TakeEndsOnTheWay(const Walk& walk);
  void TakeEnd(const WhatIfNode& node, const Segment& segment, const RecordedEnd& end, Instant at);
  void NoteRecordedOomKill(const WhatIfNode& node, PodSlot slot, TimeBounds when);
  [[nodiscard]] Instant NextStop(Instant now, Instant end) const;
  void MoveTo(const Walk& walk, const Step& step);
  void CountTime(Duration time, double memory_from, double memory_to, std::int64_t reserved);
  void Decide(const Walk& walk, Instant at, bool by_clock);
  void Act(const Walk& walk, Instant at, const Evaluation& evaluation, const Observations& seen,
           bool by_clock);
  [[nodiscard]] PaceInput PaceFor(const Walk& walk, Signal signal, Instant at, bool by_clock) const;
  void NoteMet(const Walk& walk, const Evaluation& evaluation, Instant at);
  [[nodiscard]] TimeBounds BoundsAt(const Walk& walk, Instant at,
                                    const std::optional<TimeBounds>& met) const;
  [[nodiscard]] std::shared_ptr<const RecordedPass> PassOf(const Walk& walk,
                                                           const CycleReport& report,
                                                           const EvictionState& before,
                                                           std::optional<PaceInput> pace) const;
  void TakeEvictions(const Walk& walk, const CycleReport& report,
                     const std::shared_ptr<const RecordedPass>& pass);
  void TellThreshold(std::size_t threshold, const CycleReport& report, SimulatedEviction& told);
  void End(const Walk& walk, PodSlot slot, const SimulatedEviction& told,
           std::int64_t grace_seconds, Resource resource);
  void LetBack(const Walk& walk, Instant at);
  void ForeseeOomKills(const Walk& walk, const Step& step);
  void KillForMemory(const Walk& walk, Instant at);

  const CandidatePolicy* candidate_;
  std::shared_ptr<const PassPolicy> base_;  // the recorded one that was looked at last
  bool as_recorded_ = false;                // the policy is that one
  PassPolicy policy_;
  std::optional<PolicyLines> lines_;
  EvictionState state_;
  std::array<std::optional<TimeBounds>, kMaxThresholds> met_;  // when each was first met
  VirtualPods pods_;
  SimulatedPace pace_;
  std::optional<Instant> paused_until_;
  std::optional<Instant> last_pass_;
  bool may_let_back_ = false;  // a pass was made since one came back
  std::vector<Away> away_;
  Comebacks comebacks_;
  std::optional<Instant> last_eviction_;
  std::vector<ActivePod> scratch_;
  std::vector<PodStats> stats_;
  PolicyOutcome outcome_;
};

}  // namespace jettison
