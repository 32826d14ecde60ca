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

// The place of a pod in the order of eviction: the pod with the smallest key is evicted first. The
// members are compared in this order, which is total, because no two pods share a UID.
struct RankKey {
  bool known = true;            // a pod without stats is evicted first (memory, disks)
  bool within_request = false;  // false is evicted first (not used for PIDs)
  std::int32_t priority = 0;    // the lowest is evicted first
  Nanos negated_excess = 0;     // the largest usage - request is evicted first
  std::string_view uid;         // ties

  friend auto operator<=>(const RankKey&, const RankKey&) = default;
};

// The key of one pod under pressure on one signal. (kubelet: rankMemoryPressure, rankPIDPressure,
// rankDiskPressureFunc, buildSignalToRankFunc)
//
// The rules for I/O and swap are Jettison's own. For I/O, usage is the pod's own I/O pressure and
// every request is 0; a pod whose I/O pressure is unknown is evicted last. For swap, usage is the
// swap that the pod occupies, and its request is exceeded if its swap and working set together
// exceed its memory request; where swap is not accounted, pods are ranked by memory.
[[nodiscard]] RankKey RankOf(const ActivePod& pod, Signal signal, DiskLayout layout);

// The pod's request that ranking compares its usage with: bytes of memory or ephemeral storage, in
// billionths; 0 for resources that cannot be requested.
[[nodiscard]] Nanos RequestFor(const PodFacts& facts, Resource resource);

// What ranking counts as the pod's usage, in the unit of the signal; absent where that is unknown.
[[nodiscard]] std::optional<std::int64_t> UsageOf(const ActivePod& pod, Signal signal,
                                                  DiskLayout layout);

// What a pod holds of the file system of a signal, in bytes or inodes.
struct PodFiles {
  std::uint64_t logs = 0;
  std::uint64_t layers = 0;   // writable ones
  std::uint64_t volumes = 0;  // local ones
  std::uint64_t deleted = 0;  // deleted files that are held open

  [[nodiscard]] std::uint64_t Sum() const { return logs + layers + volumes + deleted; }
  void operator+=(const PodFiles& more) {
    logs += more.logs;
    layers += more.layers;
    volumes += more.volumes;
    deleted += more.deleted;
  }
};
// Those that count when pods are ranked for the signal, which is one of a disk; `pod` has stats.
[[nodiscard]] PodFiles FilesOf(const ActivePod& pod, Signal signal, DiskLayout layout);

// Whether the pod's disk use has never been measured, because the agent's own walk has not ended
// yet. No pod is evicted for that. It is not the same as a pod without any statistics, which the
// kubelet evicts before all others.
[[nodiscard]] bool DiskUseIsUnknown(const ActivePod& pod);

// Whether the pod may be the victim: it is not protected and its end would help. Under pressure on
// a disk, its disk use must be known (DiskUseIsUnknown). Under pressure on I/O, it must have been
// stalled on I/O itself, because a pod that never waits for a disk does not keep others waiting
// either. Under pressure on swap, it must have swapped something out or, where swap is not
// accounted, hold memory.
[[nodiscard]] bool MayGo(const ActivePod& pod, Signal signal);

// Which pods may be the victim for a threshold.
enum class Candidates : std::uint8_t {
  kAll,
  kOverRequest,  // those that are measured and exceed their request (Evaluation::in_margin)
};

// Whether the pod is among them, and may be the victim (MayGo).
[[nodiscard]] bool IsCandidate(const ActivePod& pod, Signal signal, DiskLayout layout,
                               Candidates candidates);

// Index of the pod with the smallest key among the candidates. Absent: there is none.
[[nodiscard]] std::optional<std::size_t> FirstVictim(std::span<const ActivePod> pods, Signal signal,
                                                     DiskLayout layout,
                                                     Candidates candidates = Candidates::kAll);

// Indices of all pods in the order of eviction, including protected ones.
[[nodiscard]] std::vector<std::size_t> RankedPods(std::span<const ActivePod> pods, Signal signal,
                                                  DiskLayout layout);

// What decides between two neighbours of a ranking, for people: "usage above request", "priority",
// "usage minus request", "UID", "no statistics".
[[nodiscard]] std::string_view DecidingField(const RankKey& first, const RankKey& second);

}  // namespace jettison
