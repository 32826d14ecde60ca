#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/model/signal.h"
#include "core/pods/pod_facts.h"
#include "sim/whatif/virtual_node.h"
#include "sim/whatif/virtual_segment.h"
#include "sim/whatif/whatif_node.h"
#include "sim/whatif/whatif_result.h"

namespace jettison {

// When evicted pods come back, by the rules of the agent: a back-off that doubles, admission, one
// pod at a time, the highest priority first.
class Comebacks {
 public:
  // How long a pod that is evicted now stays away.
  [[nodiscard]] Duration Backoff(const WhatIfModel& model, PodSlot slot, Instant now);
  // The pod was let in.
  void Back(PodSlot slot, Instant at);
  // The pod that comes back now; null: none.
  [[nodiscard]] static VirtualPod* Next(const WhatIfNode& node, VirtualPods& pods,
                                        NodeConditions conditions, Instant now);

 private:
  struct Known {
    PodSlot slot = 0;
    Duration next{0};
    Instant back;
  };
  std::vector<Known> known_;
};

// The pod that the kernel would kill when a node of that many bytes has no memory left: the one
// that uses the most, weighted by oom_score_adj (mm/oom_kill.c, oom_badness). Absent where no pod
// may be killed.
[[nodiscard]] std::optional<std::size_t> FirstForTheKernel(std::span<const ActivePod> pods,
                                                           std::int64_t capacity);

// The pods of a node as they fare under a policy: which of them go on, end, stay away and come back
// otherwise than in the recording. The class counts the OOM kills, and the time that pods lose.
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
  Instant Evict(const WhatIfNode& node, PodSlot slot, const SimulatedEviction& told,
                Duration grace);
  // The policy evicts the pod as the recording did.
  void EvictAsRecorded(const WhatIfNode& node, PodSlot slot, Instant at);

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

  // The courses have taken in the frame: pods that it says are back, or have left, fare as recorded
  // from now on.
  void Settle(const WhatIfNode& node, const Frame& frame);
  // The recording ends, or a gap begins.
  void Stop(Instant at);

 private:
  struct Away {  // evicted as in the recording
    PodSlot slot = 0;
    unsigned life = 0;
    Instant since;
  };

  void TakeEnd(const WhatIfNode& node, const Segment& segment, const RecordedEnd& end, Instant at);
  void NoteOomKill(const WhatIfNode& node, PodSlot slot, const TimeBounds& when,
                   ForeseenOomKill::Why why);
  // Whether there was a pod to kill.
  [[nodiscard]] bool KillForMemory(const VirtualSegment& view, Instant at);

  VirtualPods pods_;
  std::vector<Away> away_;
  Comebacks comebacks_;
  std::vector<ForeseenOomKill> oom_kills_;
  Duration time_lost_{0};
};

}  // namespace jettison
