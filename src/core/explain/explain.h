#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/decide/local_storage.h"
#include "core/decide/ranking.h"
#include "core/explanation/explanation.h"
#include "core/model/memory_estimator.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"

namespace jettison {

[[nodiscard]] PodIdentity IdentityOf(const PodFacts& facts);

inline constexpr std::size_t kEveryPod = std::numeric_limits<std::size_t>::max();

// The order of eviction for one signal. Of more than `limit` pods, only `limit` neighbours of the
// victim, which is an index of `pods`, are listed; without a victim, the first ones.
[[nodiscard]] PodOrder OrderOf(std::span<const ActivePod> pods, Signal signal, DiskLayout layout,
                               Candidates candidates, std::optional<std::size_t> chosen,
                               std::size_t limit = kEveryPod);

// Every limit of local storage that a pod has, in the order in which they are checked; `broken` is
// the violation for which it is evicted, if there is one.
[[nodiscard]] std::vector<StorageLimitFacts> StorageLimitsOf(
    const ActivePod& pod, DiskLayout layout, const std::optional<StorageViolation>& broken);

// The limit that a violation is about.
[[nodiscard]] StorageLimitFacts LimitOf(const ActivePod& pod, const StorageViolation& violation,
                                        DiskLayout layout);

// The figures of the summary that one signal is computed from, and the computation of its available
// amount. Figures that the summary does not have are left out. `estimator` says which page cache is
// subtracted from the node's memory usage.
[[nodiscard]] SignalReading ReadingOf(Signal signal, const Summary& summary,
                                      MemoryEstimator estimator);

struct ExplainOptions {
  std::string id;           // of the eviction
  std::string subject_uid;  // the pod whose eviction is to be explained; empty: the pass as a whole
  bool dry_run = false;     // no pod was really told to end
  MemoryEstimator memory_estimator = MemoryEstimator::kWorkingSet;
  std::size_t order_limit = kEveryPod;  // the most pods of the order that are listed
};

// Explains from its record why a pass did what it did.
[[nodiscard]] PassExplanation Explain(const RecordedPass& pass, const ExplainOptions& options = {});

}  // namespace jettison
