#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "act/pass.h"
#include "core/evaluate/evaluate.h"
#include "core/model/profile.h"
#include "sim/whatif/policy_lines.h"
#include "sim/whatif/segment.h"
#include "sim/whatif/sim_pace.h"
#include "sim/whatif/virtual_node.h"
#include "sim/whatif/whatif_model.h"
#include "sim/whatif/whatif_result.h"

namespace jettison {

// What all policies of a simulation look at.
struct WhatIfNode {
  const PodRoster& roster;
  const std::vector<PodCourse>& courses;  // until the frame that a segment begins with
  const WhatIfModel& model;
  Profile profile = Profile::kKubelet;
  // Nothing that the policy in force did is taken from the recording: neither the state of its
  // passes nor its decisions.
  bool blind = false;
};

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
  // The recording ends, or a gap begins.
  void Stop(Instant at);

  [[nodiscard]] const PolicyOutcome& outcome() const { return outcome_; }

 private:
  struct Away {  // evicted as in the recording
    PodSlot slot = 0;
    unsigned life = 0;
    Instant since;
  };
  struct Backoff {
    PodSlot slot = 0;
    Duration next{0};
    Instant back;
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
  [[nodiscard]] std::optional<Instant> FirstCrossing(const Walk& walk, Instant from, Instant to);
  void MoveTo(const Walk& walk, const Step& step);
  void CountTime(Duration time, double memory_from, double memory_to, std::int64_t reserved);
  void Decide(const Walk& walk, Instant at, bool by_clock);
  void Act(const Walk& walk, Instant at, const Evaluation& evaluation, const Observations& seen,
           bool by_clock);
  [[nodiscard]] PaceInput PaceFor(const Walk& walk, Signal signal, Instant at, bool by_clock) const;
  void NoteMet(const Walk& walk, const Evaluation& evaluation, Instant at);
  [[nodiscard]] TimeBounds BoundsAt(const Walk& walk, Instant at,
                                    std::optional<std::size_t> threshold) const;
  void TakeEvictions(const Walk& walk, const CycleReport& report);
  void LetBack(const Walk& walk, Instant at);
  void ForeseeOomKills(const Walk& walk, const Step& step);
  void KillForMemory(const Walk& walk, Instant at);
  [[nodiscard]] Duration NextBackoff(const WhatIfModel& model, PodSlot slot, Instant now);
  void NoteBack(PodSlot slot, Instant at);

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
  std::vector<Backoff> backoffs_;
  std::vector<ActivePod> scratch_;
  std::vector<PodStats> stats_;
  PolicyOutcome outcome_;
};

}  // namespace jettison
