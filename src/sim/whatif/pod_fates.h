#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/model/signal.h"
#include "core/pods/pod_facts.h"
#include "sim/whatif/virtual_segment.h"
#include "sim/whatif/whatif.h"

namespace jettison {

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
