#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/evaluate/evaluate.h"
#include "core/model/summary.h"
#include "core/observe/observations.h"
#include "core/pass/pass_policy.h"
#include "core/units/duration.h"

namespace jettison {

// Which figures of pods a pass reads, of all pods.
enum class PodFigures : std::uint8_t {
  kNone,
  kMemory,  // the memory of each as a whole, and that of the victim's containers for its message
  kAll,
};

// The state of a pass after the node's own figures have been read: the evaluation that it decides,
// acts and reports by, and the figures of pods that are still to be read.
struct ReadingPlan {
  Instant now;
  Observations observations;
  Evaluation evaluation;
  // The threshold that would be acted for, and the one if no pod may be evicted for a disk; absent:
  // none acts.
  std::optional<std::size_t> threshold;
  std::optional<std::size_t> without_disks;
  PodFigures pods = PodFigures::kNone;
};

// Evaluates the observations under the policy.
[[nodiscard]] Evaluation EvaluateBy(const PassPolicy& policy, const EvictionState& state,
                                    const Observations& observations, Instant now);

// Evaluates the node's figures and plans which figures of pods to read. Storage limits need all
// figures; a threshold on memory or swap needs the memory of the pods alone.
[[nodiscard]] ReadingPlan PlanReading(const PassPolicy& policy, const EvictionState& state,
                                      const NodeStats& node, Instant now);

// The same pass where no pod is a candidate for the thresholds on memory that are in their margin:
// for the most urgent of the others that act, if there are any. It reads all figures, because the
// decision finds out by them that there is no candidate.
[[nodiscard]] ReadingPlan PlanWithoutMargins(const PassPolicy& policy, const ReadingPlan& plan);

// The same pass for another threshold that acts, because the one of the plan waits.
[[nodiscard]] ReadingPlan PlanFor(std::size_t threshold, const PassPolicy& policy,
                                  const ReadingPlan& plan);

}  // namespace jettison
