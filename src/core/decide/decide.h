#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/decide/ranking.h"
#include "core/evaluate/evaluate.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// A pod over one of its local-storage limits.
struct StorageViolation {
  std::size_t pod = 0;    // index among the active pods
  std::size_t index = 0;  // in PodFacts::storage_limits
};

// The pods that must be evicted because they exceed a local-storage limit, in the order of the
// active pods. Left out are protected pods, except those that are only spared, and pods whose disk
// figures are older than the pass. Each pod has at most one violation: emptyDir volumes first, then
// the pod's own limit, then the containers'.
// (kubelet: managerImpl.localStorageEviction)
[[nodiscard]] std::vector<StorageViolation> StorageViolations(std::span<const ActivePod> pods,
                                                              DiskLayout layout);

// What counts for a limit, in bytes: of a container its logs and, unless images have a file system
// of their own, its writable layer. Absent: it was not measured.
[[nodiscard]] std::optional<std::int64_t> LimitedUse(const PodStats& stats,
                                                     const StorageLimit& limit, DiskLayout layout);

// The kubelet's message for a pod that exceeds the limit.
[[nodiscard]] std::string ViolationMessage(const StorageLimit& limit);

// A way to free node-level resources before a pod is evicted.
enum class ReclaimStep : std::uint8_t { kDeadContainers, kUnusedImages };
template <>
inline constexpr auto kNamesOf<ReclaimStep> = EnumNames("containers", "images");

// What a pass is going to do. Indices point into the thresholds and active pods it was made from.
struct Decision {
  std::vector<StorageViolation> violations;  // when not empty, nothing else is done
  std::optional<std::size_t> threshold;      // the one to act for; absent: none acts
  std::span<const ReclaimStep> reclaim;      // tried first
  std::optional<std::size_t> victim;         // evicted when the reclaim was not enough
};

// Who may be evicted for this threshold, an index of those evaluated.
[[nodiscard]] inline Candidates CandidatesFor(std::size_t threshold, const Evaluation& evaluation) {
  return evaluation.in_margin[threshold] ? Candidates::kOverRequest : Candidates::kAll;
}

// Who may be evicted for the signal at present: all pods, unless the signal has thresholds in their
// margin and no other that is met. `thresholds` are those of the evaluation.
[[nodiscard]] Candidates CandidatesFor(Signal signal, std::span<const Threshold> thresholds,
                                       const Evaluation& evaluation);

// Chooses what a pass does. If the disk use of all pods is unknown (DiskUseIsUnknown), no pod is
// evicted for a disk, and any other acting threshold takes precedence. A threshold in its margin
// for which there is neither a candidate nor a reclaim does not act: the next one does. So it is
// where the first candidate holds next to nothing of the margin (IsWorthwhile). `acting` are
// those of the evaluation that may act.
// (kubelet: managerImpl.synchronize from localStorageEviction on)
[[nodiscard]] Decision Decide(const PassPolicy& policy, const Evaluation& evaluation,
                              ThresholdSet acting, std::span<const ActivePod> pods);

// The thresholds of the set that are not on disks.
[[nodiscard]] ThresholdSet WithoutDisks(std::span<const Threshold> thresholds, ThresholdSet among);

// The threshold to act for among several: memory before everything else, then the order of the
// signals, hard before soft, then the order of configuration.
[[nodiscard]] std::optional<std::size_t> MostUrgent(std::span<const Threshold> thresholds,
                                                    ThresholdSet among);

}  // namespace jettison
