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

// Which figures a step of reading takes.
enum class PodFigures : std::uint8_t {
  kMemory,      // of a pod as a whole
  kTasks,       // how many process ids it has
  kContainers,  // the memory of each of its containers, beside that
  kAll,         // everything that is known of it
};

// Of whom.
enum class PodsToRead : std::uint8_t {
  kEachPod,
  kContenders,   // until it is certain who goes first (decide/victim_search); or else of each
  kFirstVictim,  // as soon as the steps before say who that is; of nobody else
};

struct ReadStep {
  PodFigures figures = PodFigures::kAll;
  PodsToRead pods = PodsToRead::kEachPod;
  friend bool operator==(const ReadStep&, const ReadStep&) = default;
};

// What a pass goes on from when the node's own figures have been read: the one evaluation that it
// decides, acts and reports by, and what is still to be read of the pods.
struct ReadingPlan {
  Instant now;
  Observations observations;
  Evaluation evaluation;
  // The one that would be acted for, and the one where nobody may go for a disk; none: nothing is
  // starved.
  std::optional<std::size_t> threshold;
  std::optional<std::size_t> beside_disks;
  // In this order. After the last step everything is known that the pass decides and tells by;
  // none: no pod plays a part in it.
  std::span<const ReadStep> pods;
};

// What the observations say under the policy. Allocates nothing.
[[nodiscard]] Evaluation EvaluateBy(const PassPolicy& policy, const EvictionState& state,
                                    const Observations& observations, Instant now);

// Evaluates and plans. Storage limits need all figures of every pod, whatever the node's say. A
// threshold on memory needs the memory of the pods that could go first, and the containers of the
// one that does, to name them: reading what nobody asks for takes longer than everything else
// together. Allocates nothing.
[[nodiscard]] ReadingPlan PlanReading(const PassPolicy& policy, const EvictionState& state,
                                      const NodeStats& node, Instant now);

}  // namespace jettison
