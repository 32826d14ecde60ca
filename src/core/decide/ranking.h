#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"
#include "core/units/quantity.h"

namespace jettison {

// What a pod is ranked by, but for ties. Members are compared in this order.
struct RankFigures {
  bool known = true;            // a pod without stats goes before all others (memory, disks)
  bool within_request = false;  // those that exceed their request go first (not for PIDs)
  std::int32_t priority = 0;    // the lower one goes first
  Nanos negated_excess = 0;     // the larger usage - request goes first

  friend auto operator<=>(const RankFigures&, const RankFigures&) = default;
};

// Where a pod stands in the order of eviction: the smaller key goes first. The order is total,
// because no two pods share a UID.
struct RankKey : RankFigures {
  std::string_view uid;  // ties

  friend auto operator<=>(const RankKey&, const RankKey&) = default;
};

// The key of one pod under pressure on one signal. (kubelet: rankMemoryPressure, rankPIDPressure,
// rankDiskPressureFunc, buildSignalToRankFunc; for I/O the rule is our own: usage is the pod's own
// I/O pressure, of which nobody requests any, and where that is unknown the pod goes last; so it is
// for swap: usage is what the pod has swapped out, and its request is exceeded where that and its
// working set together exceed the one for memory. Where swap is not accounted, memory decides)
[[nodiscard]] RankKey RankOf(const ActivePod& pod, Signal signal, DiskLayout layout);

// The key of a pod that holds so much: bytes of working set for memory, tasks for process ids. What
// RankOf says of it once that is measured.
[[nodiscard]] RankKey MemoryRankAt(const PodFacts& facts, std::uint64_t working_set);
[[nodiscard]] RankKey PidRankAt(const PodFacts& facts, std::uint64_t tasks);

// Whether nobody has ever measured what the pod has on disk. This is not the kubelet's pod without
// statistics, which goes before all others: that one is known to nobody, of this one only its files
// are, because the agent's own walk was not back. Nobody goes for that.
[[nodiscard]] bool DiskUseIsUnknown(const ActivePod& pod);

// Whether the pod may be the victim: it is not critical and its end would help. Under pressure on a
// disk it must be known what it has there (DiskUseIsUnknown). Under pressure on
// I/O it has to have been stalled on it itself: one that never waits for a disk does not keep
// others waiting either. Where swap is short it has to have something there to give back; where
// swap is not accounted, memory.
[[nodiscard]] bool MayGo(const ActivePod& pod, Signal signal);

// Looks for the first pod to go, some pods after the others, which are in the cache when somebody
// else has looked at them just now.
class FirstVictimSearch {
 public:
  FirstVictimSearch(Signal signal, DiskLayout layout) : signal_(signal), layout_(layout) {}

  // The ranges follow one another.
  void Look(std::span<const ActivePod> pods, PodRange among);
  // The index of the smallest key that was looked at among pods that may go; none: nobody may.
  [[nodiscard]] std::optional<std::size_t> victim() const { return victim_; }

 private:
  template <typename MayGoOf, typename FiguresOfPod>
  void LookBy(std::span<const ActivePod> pods, PodRange among, MayGoOf may_go,
              FiguresOfPod figures_of);

  Signal signal_;
  DiskLayout layout_;
  std::optional<std::size_t> victim_;
  RankFigures figures_;  // of the victim
};

// Index of the first pod to go that may go: the smallest key among these; none when nobody may.
[[nodiscard]] std::optional<std::size_t> FirstVictim(std::span<const ActivePod> pods, Signal signal,
                                                     DiskLayout layout);

// Indices of all pods, critical ones included, first to be evicted first.
[[nodiscard]] std::vector<std::size_t> RankedPods(std::span<const ActivePod> pods, Signal signal,
                                                  DiskLayout layout);

// What decides between two neighbours of a ranking, for people: "usage above request", "priority",
// "usage minus request", "UID", "no statistics".
[[nodiscard]] std::string_view DecidingField(const RankKey& first, const RankKey& second);

}  // namespace jettison
