#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/decide/eviction_pace.h"
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

}  // namespace jettison
