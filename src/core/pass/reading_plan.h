#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/evaluate/evaluate.h"
#include "core/model/summary.h"
#include "core/observe/observations.h"
#include "core/pass/pass_policy.h"
#include "core/units/duration.h"

namespace jettison {

// Which figures a step reads.
enum class PodFigures : std::uint8_t {
  kMemory,      // the memory of a pod as a whole
  kTasks,       // its number of process IDs
  kContainers,  // the memory of each of its containers
  kAll,         // all its figures
};

// Which pods a step reads the figures of.
enum class PodsToRead : std::uint8_t {
  kEachPod,
  kContenders,   // only until the first victim is certain (decide/victim_search), or each pod
  kFirstVictim,  // only the first victim, which the earlier steps determine
};

struct ReadStep {
  PodFigures figures = PodFigures::kAll;
  PodsToRead pods = PodsToRead::kEachPod;
  friend bool operator==(const ReadStep&, const ReadStep&) = default;
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
  std::optional<std::size_t> beside_disks;
  // The steps in their order. After the last one, every figure has been read that the pass needs to
  // decide and to report. Empty: it needs no figures of pods.
  std::span<const ReadStep> pods;
};

// Evaluates the observations under the policy. Allocates nothing.
[[nodiscard]] Evaluation EvaluateBy(const PassPolicy& policy, const EvictionState& state,
                                    const Observations& observations, Instant now);

// Evaluates the node's figures and plans which figures of pods to read. Storage limits need all
// figures of every pod. A threshold on memory needs only the memory of the pods that could be
// evicted first, and the containers of the victim for its message: reading more would take longer
// than everything else together. Allocates nothing.
[[nodiscard]] ReadingPlan PlanReading(const PassPolicy& policy, const EvictionState& state,
                                      const NodeStats& node, Instant now);

// The same pass where no pod is a candidate for the thresholds on memory that are in their margin:
// for the most urgent of the others that act, if there are any. It reads all figures, because the
// decision finds out by them that there is no candidate.
[[nodiscard]] ReadingPlan PlanBesideMargins(const PassPolicy& policy, const ReadingPlan& plan);

// The same pass for another threshold that acts, because the one of the plan waits.
[[nodiscard]] ReadingPlan PlanFor(std::size_t threshold, const PassPolicy& policy,
                                  const ReadingPlan& plan);

}  // namespace jettison
