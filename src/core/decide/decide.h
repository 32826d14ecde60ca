#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/decide/local_storage.h"
#include "core/decide/ranking.h"
#include "core/evaluate/evaluate.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// A way to free node-level resources before a pod is evicted.
enum class ReclaimStep : std::uint8_t { kDeadContainers, kUnusedImages };
[[nodiscard]] std::string_view NameOf(ReclaimStep step);  // "containers", "images"

// The reclaim steps for a signal, in order; empty for memory, process IDs and I/O.
// (kubelet: buildSignalToNodeReclaimFuncs)
[[nodiscard]] std::span<const ReclaimStep> ReclaimStepsFor(Signal signal, DiskLayout layout);

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
// those of the evaluation that may act. Allocates nothing unless pods broke their storage limits.
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
