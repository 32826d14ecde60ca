#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "apply/pass.h"
#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/pass/pass.h"
#include "core/units/duration.h"
#include "sim/whatif/virtual_pods.h"
#include "sim/whatif/whatif.h"

namespace jettison {

// The agent of a node under a candidate policy: the policy itself, the state that its passes have
// led to, and what it waits for. It decides and carries out by the functions of the real agent:
// until evicted pods are gone nothing but a hard threshold may act, and when the next eviction
// comes is a question of pace (core/decide/eviction_pace).
class SimulatedAgent {
 public:
  // The agent looks at the node at this moment of a segment.
  struct Look {
    Instant at;
    bool by_clock = false;       // else because a line was crossed or something is due
    bool breaks_limits = false;  // a pod breaks a storage limit then
  };

  explicit SimulatedAgent(const CandidatePolicy& candidate) : candidate_(&candidate) {}

  // The agent takes what the candidate makes of the policy of a recorded pass.
  void TakePolicy(const RecordedPass& recorded);
  // The agent begins with the state that a recorded pass began with.
  void Begin(const RecordedPass& recorded, Instant at);
  // Time has passed until `to`: pods that are gone by then are awaited no more, and a pause that is
  // over has ended.
  void Advance(Instant to);
  // A pass by the clock was made then, in which nothing was to be done.
  void PassedOver(Instant at) { last_pass_ = at; }

  // The agent makes the recorded pass at the end of the segment. The result is absent where nobody
  // was evicted.
  [[nodiscard]] std::optional<CycleReport> RepeatPass(const VirtualSegment& view);
  // The agent makes a pass by what the node is like under the policy. The result is absent where
  // nobody was evicted.
  [[nodiscard]] std::optional<CycleReport> MakePass(const VirtualSegment& view, const Look& look);
  // The result is what all evictions have in common that a pass made for its threshold.
  [[nodiscard]] SimulatedEviction Tell(const VirtualSegment& view, const CycleReport& report) const;
  // A pod was told to end. It will be gone at `gone`; absent: it ends as in the recording.
  void NoteEviction(const CycleReport& report, const EvictionRecord& eviction,
                    std::optional<Instant> gone);

  // One pod may come back between two passes, and none while a threshold is met.
  [[nodiscard]] bool MayLetBack() const { return may_let_back_ && state_.met.none(); }
  void NoteBack() { may_let_back_ = false; }

  // Whether the policy is the recorded one, as far as the recording has been read.
  [[nodiscard]] bool IsInForce() const { return as_recorded_; }
  // Whether it is, and nothing has differed until now.
  [[nodiscard]] bool IsInStep(const VirtualSegment& view) const;
  // Whether the agent awaits nothing, and nothing was short of late.
  [[nodiscard]] bool IsQuiet() const;
  [[nodiscard]] bool IsPaused() const { return paused_until_.has_value(); }
  // Whether a pass is due by the clock.
  [[nodiscard]] bool IsDue(Instant now, Duration interval) const;
  // Whether a full pass was asked for at `now`, and not yet at `before`: a pause or a grace period
  // ends, or pods that were evicted are cleaned up. Like one by the clock it looks at everything,
  // and the next one by the clock is an interval later.
  [[nodiscard]] bool IsAskedFor(Instant before, Instant now) const {
    return NextStop(before, Instant::max()) == now;
  }
  // The result is when something is due by itself after `now`, and `end` where that comes first.
  // Passes by the clock count where their interval is given.
  [[nodiscard]] Instant NextStop(Instant now, Instant end,
                                 std::optional<Duration> interval = std::nullopt) const;

  [[nodiscard]] const PassPolicy& policy() const { return policy_; }
  // Whether a policy has been taken, without which the agent can do nothing.
  [[nodiscard]] bool HasPolicy() const { return base_ != nullptr; }
  [[nodiscard]] const EvictionState& state() const { return state_; }

 private:
  [[nodiscard]] Observations SeenAt(const VirtualSegment& view, Instant at) const;
  [[nodiscard]] std::optional<CycleReport> Act(const VirtualSegment& view, const Look& look,
                                               const ReadingPlan& plan);
  [[nodiscard]] PaceInput PaceFor(const VirtualSegment& view, const Look& look,
                                  Signal signal) const;
  void NoteMet(const VirtualSegment& view, const Evaluation& evaluation, Instant at);
  [[nodiscard]] TimeBounds BoundsAt(const VirtualSegment& view, Instant at,
                                    const std::optional<TimeBounds>& met) const;

  const CandidatePolicy* candidate_;
  std::shared_ptr<const PassPolicy> base_;  // the recorded one that was looked at last
  bool as_recorded_ = false;                // the policy is that one
  PassPolicy policy_;
  EvictionState state_;
  std::array<std::optional<TimeBounds>, kMaxThresholds> met_;  // when each was first met
  EvictionPace pace_;
  std::optional<Instant> gone_;          // the last of the pods that are awaited; absent: none is
  std::optional<Instant> paused_until_;  // an eviction waits until then
  std::optional<Instant> last_pass_;     // by the clock
  std::optional<Instant> last_eviction_;
  bool may_let_back_ = false;  // a pass was made since a pod came back
  std::vector<ActivePod> active_;
  std::vector<PodStats> stats_;  // which `active_` points into
};

}  // namespace jettison
