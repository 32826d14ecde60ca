#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/decide/eviction_pace.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "sim/frames/frame.h"
#include "sim/whatif/whatif.h"

namespace jettison {

// A threshold as a whole amount: `available` is below it exactly where the threshold is met.
[[nodiscard]] std::int64_t LineOf(const Threshold& threshold, std::int64_t capacity);
// Whether these figures meet none.
[[nodiscard]] bool MeetsNone(const std::vector<Threshold>& thresholds, const Observations& seen);
// The highest hard one on memory.available; 0: there is none.
[[nodiscard]] std::int64_t Reserved(const std::vector<Threshold>& thresholds,
                                    const Observations& seen);

// Whether the agent looks at the signal between its passes.
[[nodiscard]] bool IsWatched(Signal signal);

// A pod whose course in a simulation is another than the recorded one.
struct VirtualPod {
  enum class Is : std::uint8_t {
    kRunning,  // it repeats one of its recorded lives, at another time or further than it went
    kEnding,   // the simulation evicted it, and it is not gone yet
    kAway,     // it is gone
  };
  PodIndex slot = 0;
  Is is = Is::kRunning;
  Instant since;
  double held = 0;                     // bytes, then; of kEnding until it is gone
  RepeatedLife repeats;                // of kRunning; no life: it was never seen
  Duration unsure{0};                  // by how much it may all have been earlier or later
  std::optional<std::int64_t> limit;   // of its memory
  std::optional<unsigned> ended;       // which life of it the recording ended; absent: none
  std::optional<Instant> alike_since;  // it has held what the recording says
  // Of kEnding and kAway.
  Instant evicted;
  Instant gone;                // when it will be, or was
  std::optional<Instant> due;  // it may come back; absent: it does not

  [[nodiscard]] double MemoryAt(Instant at) const;
  // By how much less or more it may hold.
  [[nodiscard]] double UnsureAt(Instant at) const;
  [[nodiscard]] bool IsThere() const { return is == Is::kRunning; }
};

// The pods of a simulation that are not as recorded, by slot.
using VirtualPods = std::map<PodIndex, VirtualPod>;

// Null: it is as recorded. `pods` may be const.
template <typename Pods>
[[nodiscard]] auto* FindIn(Pods& pods, PodIndex slot) {
  const auto found = pods.find(slot);
  return found == pods.end() ? nullptr : &found->second;
}

// A segment as it is under a policy, whose pods are partly virtual. It only looks.
class VirtualSegment {
 public:
  VirtualSegment(const WhatIfNode& node, const Segment& segment, const VirtualPods& pods)
      : node_(node), segment_(segment), pods_(pods) {}

  [[nodiscard]] const WhatIfNode& node() const { return node_; }
  [[nodiscard]] const Segment& segment() const { return segment_; }
  [[nodiscard]] const VirtualPods& pods() const { return pods_; }

  // By how much more memory is free than recorded.
  [[nodiscard]] double FreedAt(Instant at) const;
  // What is available of memory.available, or of that signal of memory.
  [[nodiscard]] double LeftAt(Instant at, Signal signal = Signal::kMemoryAvailable) const;
  // All signals as the policy would see them.
  [[nodiscard]] Observations SeenAt(Instant at) const;
  // What the pod holds.
  [[nodiscard]] double MemoryAt(PodIndex slot, Instant at) const;
  // When the first line is crossed that was not met until then; lines on what the agent looks at
  // between its passes.
  [[nodiscard]] std::optional<Instant> FirstCrossing(const std::vector<Threshold>& thresholds,
                                                     const EvictionState& state, Instant from,
                                                     Instant to) const;
  // `active` becomes the pods that are active then, with figures for that moment. `stats` holds
  // these figures and has to live as long as `active`.
  void ActivePodsAt(Instant at, std::vector<PodStats>& stats, std::vector<ActivePod>& active) const;
  // Adds to what a pace is decided by how fast memory is taken. `active` may be evicted.
  void MeasureGrowth(Instant at, const std::vector<ActivePod>& active, PaceInput& pace) const;
  // Of something that happens then. What is not known of when the threshold was met, for which it
  // is, is not known of this either.
  [[nodiscard]] TimeBounds BoundsAt(Instant at, const std::optional<TimeBounds>& met) const;

 private:
  [[nodiscard]] std::vector<PodIndex> SlotsThere(const Frame& recorded) const;

  const WhatIfNode& node_;
  const Segment& segment_;
  const VirtualPods& pods_;
};

// The pods of a node as they fare under a policy: which of them go on, end, stay away and come back
// otherwise than in the recording. Pods come back by the rules of the agent: after a back-off that
// doubles, when they are admitted, one at a time, the highest priority first. The class counts the
// OOM kills, and the time that pods lose.
class PodFates {
 public:
  // These pods have another course than the recorded one.
  [[nodiscard]] const VirtualPods& pods() const { return pods_; }
  [[nodiscard]] const std::vector<ForeseenOomKill>& oom_kills() const { return oom_kills_; }
  [[nodiscard]] Duration time_lost() const { return time_lost_; }

  // A pod that the recording ended on the way through the segment goes on, unless the policy ended
  // it too or the kernel would have killed it all the same.
  void TakeEnds(const WhatIfNode& node, const Segment& segment);
  // The OOM kills of the frame happen as recorded.
  void NoteOomKills(const WhatIfNode& node, const Frame& frame);
  // The policy evicts the pod, which from here on fares otherwise than in the recording. The
  // result is when the pod will be gone.
  Instant Evict(const WhatIfNode& node, PodIndex slot, const SimulatedEviction& told,
                Duration grace);
  // The policy evicts the pod as the recording did.
  void EvictAsRecorded(const WhatIfNode& node, PodIndex slot, Instant at);

  // The result is when the next pod after `now` is gone or may come back, and `end` where that
  // comes first.
  [[nodiscard]] Instant NextChange(Instant now, Instant end) const;
  // Time has passed until `to`: pods that were to be gone by then are away.
  void Advance(Instant to);
  // The next pod comes back where one may; the result is whether one did.
  bool LetBack(const WhatIfNode& node, NodeConditions conditions, Instant at);
  // The kernel kills pods that have grown to their own limit, and pods of a node that `ran_out` of
  // memory, one after another until there is some.
  void ForeseeOomKills(const VirtualSegment& view, Instant at, bool ran_out);

  // The courses have taken in the frame. Pods fare as recorded from now on that have left the
  // recording, or that hold what it says: at the same age, or for a minute. `in_force`: so do those
  // that both ended, and those that have differed since before the sample before this one, because
  // no other policy explains it.
  void Settle(const WhatIfNode& node, const Frame& frame, bool in_force);
  // The recording ends, or a gap begins.
  void Stop(Instant at);

 private:
  struct Away {  // evicted as in the recording
    PodIndex slot = 0;
    unsigned life = 0;
    Instant since;
  };
  struct Backoff {  // of a pod that was evicted
    Duration next{0};
    Instant back = Instant::min();
  };

  void TakeEnd(const WhatIfNode& node, const Segment& segment, const RecordedEnd& end, Instant at);
  [[nodiscard]] Duration BackoffOf(const WhatIfNode& node, PodIndex slot, Instant now);
  void NoteOomKill(const WhatIfNode& node, PodIndex slot, const TimeBounds& when,
                   ForeseenOomKill::Why why);
  // The pod was killed, and its containers start again at once.
  void Restart(const WhatIfNode& node, PodIndex slot, Instant at);
  // Whether there was a pod to kill.
  [[nodiscard]] bool KillForMemory(const VirtualSegment& view, Instant at);
  [[nodiscard]] bool IsAsRecorded(const WhatIfNode& node, const Frame& frame, VirtualPod& pod,
                                  bool in_force) const;

  VirtualPods pods_;
  std::vector<Away> away_;
  std::map<PodIndex, Backoff> backoffs_;
  std::vector<ForeseenOomKill> oom_kills_;
  Duration time_lost_{0};
  std::optional<Instant> last_sample_;  // of the recording
};

}  // namespace jettison
