#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/decide/decide.h"
#include "core/decide/eviction_pace.h"
#include "core/decide/ranking.h"
#include "core/explanation/explanation.h"
#include "core/model/choices.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"

namespace jettison {

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

// The figures of the summary that one signal is computed from, and the computation of its available
// amount. Figures that the summary does not have are left out. `estimator` says which page cache is
// subtracted from the node's memory usage.
[[nodiscard]] SignalReading ReadingOf(Signal signal, const Summary& summary,
                                      MemoryEstimator estimator);

struct ExplainOptions {
  std::string id;           // of the eviction
  std::string subject_uid;  // the pod whose eviction is to be explained; empty: the pass as a whole
  bool dry_run = false;     // no pod was really told to end
  bool hypothetical = false;  // it is what a pass would do now
  MemoryEstimator memory_estimator = MemoryEstimator::kWorkingSet;
  std::size_t order_limit = kEveryPod;  // the most pods of the order that are listed
};

// Explains from its record why a pass did what it did.
[[nodiscard]] PassExplanation Explain(const RecordedPass& pass, const ExplainOptions& options = {});

// Everything that a pass decides by. What it refers to must outlive it.
struct DecisionInputs {
  PassPolicy policy;
  const EvictionState& before;
  Instant now;
  Observations seen;
  std::vector<ActivePod> pods;
  const std::optional<PaceInput>& pace;       // as in PassInput
  std::optional<Observations> after_reclaim;  // absent: nothing was read after a reclaim
};

// The decision for these inputs, made by the functions that decide in a pass.
[[nodiscard]] PassDecision DecisionFor(const DecisionInputs& inputs);

// The single changes of the inputs, as small as possible (bytes in whole KiB), with which the pod
// that the decision evicts for a threshold would be spared. Each is found by deciding again with
// the change and with what follows from it: what a pod does not use is available on the node, and
// signals that tell of the same memory or file system change together.
[[nodiscard]] std::vector<Otherwise> OtherwiseFor(const DecisionInputs& inputs,
                                                  const Decision& decision);

struct ShiftInputs {
  std::span<const ActivePod> pods;
  std::size_t index = 0;
  Signal signal = Signal::kMemoryAvailable;
  DiskLayout layout;
  Candidates candidates = Candidates::kAll;
  std::int64_t capacity = 0;  // of the signal: the most that a pod can use
};
// How much less the pod at `index` would have to use not to be the first in the order of eviction
// for `signal`, where it is, or how much more to be the first; absent: no amount does that.
[[nodiscard]] std::optional<std::int64_t> ShiftOf(const ShiftInputs& inputs);

// Changes the stats of a pod as if it used `more` (negative: less, but not below zero) of what the
// ranking for `signal` counts, which was measured.
void UseMore(Signal signal, DiskLayout layout, std::int64_t more, PodStats& stats);

}  // namespace jettison
