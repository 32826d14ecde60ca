#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/model/pressure.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// A set of thresholds, named by their index in the list that is being evaluated.
using ThresholdSet = std::bitset<kMaxThresholds>;

// Those of the set for which `holds(threshold, index)` is true.
template <typename Predicate>
[[nodiscard]] ThresholdSet ThoseOf(ThresholdSet among, std::span<const Threshold> thresholds,
                                   const Predicate& holds) {
  ThresholdSet those;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    those[i] = among[i] && holds(thresholds[i], i);
  }
  return those;
}
// Those of all thresholds.
template <typename Predicate>
[[nodiscard]] ThresholdSet ThoseOf(std::span<const Threshold> thresholds, const Predicate& holds) {
  return ThoseOf(ThresholdSet().set(), thresholds, holds);
}

// The settings of a pass.
struct PassPolicy {
  // Effective: containerfs.* replaced for the layout; at most kMaxThresholds.
  std::vector<Threshold> thresholds;
  Duration pressure_transition_period = std::chrono::minutes(5);
  std::int64_t max_pod_grace_period_seconds = 0;
  bool local_storage_capacity_isolation = true;
  DiskLayout layout;
  // No pod is evicted for a soft threshold while a hard one of any signal acts: a soft eviction may
  // have to wait for an answer, may be refused, or has to wait for the pods that were evicted last.
  bool hard_first = false;
};

// When a pod was last evicted, and how much of each pressure signal was available then; absent: it
// was not observed.
struct EvictionMark {
  Instant at;
  std::array<std::optional<std::int32_t>, kPressureSignalCount> available;
};

// The state that one pass leaves for the next, a plain value of fixed size. It belongs to one list
// of thresholds: when the list changes, use CarryOver or an empty state.
struct EvictionState {
  ThresholdSet met;  // those met for their whole grace period in the last pass
  std::array<std::optional<Instant>, kMaxThresholds> first_observed_at;
  // The same of the kubelet's line (Threshold::kubelet).
  std::array<std::optional<Instant>, kMaxThresholds> kubelet_line_crossed_at;
  std::array<std::optional<Instant>, kNodeConditionCount> condition_last_observed_at;
  Observations last_observations;
  NodeConditions conditions;  // true conditions, as admission reads them
  std::optional<EvictionMark> last_eviction;
};

// What a pass concludes from its observations, before anything is chosen.
struct Evaluation {
  ThresholdSet met;      // now, or before and minimum reclaim not yet reached; grace ignored
  ThresholdSet overdue;  // ... for their whole grace period
  ThresholdSet acting;   // ... and with figures newer than those of the last pass and the last
                         // eviction
  // Those that are above the kubelet's line, or below it for less than its grace period: only pods
  // that exceed their request are candidates, whether or not the threshold is met. Such a threshold
  // brings no condition by itself (ObserveCondition).
  ThresholdSet in_margin;
  EvictionState next;
};

// The thresholds that are met by the observations. With `enforce_min_reclaim`, a threshold is met
// below its value + minimum reclaim. A threshold whose signal was not observed is not met, nor,
// beside a kubelet, one that would always be (IsAlwaysMet).
// (kubelet: thresholdsMet)
[[nodiscard]] ThresholdSet ThresholdsMet(std::span<const Threshold> thresholds,
                                         const Observations& observations,
                                         bool enforce_min_reclaim);

// Only the hard thresholds of the set if there are any, else all of them.
[[nodiscard]] ThresholdSet HardFirst(std::span<const Threshold> thresholds, ThresholdSet among);

// Makes one step of the eviction state: thresholds met, grace periods, conditions with their
// transition period, freshness. A pressure average that still includes stalls from before the last
// eviction is not fresh: after an eviction, a pressure threshold acts only when its window has
// passed, and only if the stalls since the eviction alone exceed it.
// (kubelet: managerImpl.synchronize up to localStorageEviction)
[[nodiscard]] Evaluation Evaluate(const PassPolicy& policy, const EvictionState& state,
                                  const Observations& observations, Instant now);

// Begins the condition, or its transition period anew, because a pass has found a candidate for a
// threshold in its margin.
void ObserveCondition(NodeConditionType type, Duration pressure_transition_period, Instant now,
                      EvictionState& state);

// Remembers in `state` that a pass with these observations failed a pod.
void MarkEviction(const Observations& observations, Instant now, EvictionState& state);

// Whether a reclaim was enough: no threshold of any signal is met any more, minimum reclaim
// included. Pressure signals do not count: an average does not tell what was freed just now, and
// deleting files is itself a cause of I/O. (kubelet: reclaimNodeLevelResources)
[[nodiscard]] bool PressureRelieved(std::span<const Threshold> thresholds,
                                    const Observations& observations);

// When the next threshold that is met will have been so, or will have been below the kubelet's
// line, for its whole grace period; absent: none is waiting for that. `thresholds` are those the
// evaluation was made with.
[[nodiscard]] std::optional<Instant> NextGraceEnd(std::span<const Threshold> thresholds,
                                                  const Evaluation& evaluation);

// Whether both thresholds are of the same signal, both hard or both soft, and have the same value.
// Their grace periods and minimum reclaims may differ.
[[nodiscard]] bool IsSameLine(const Threshold& a, const Threshold& b);

// Converts the state of the thresholds `from` to a state of the thresholds `to`. A threshold that
// is in both (IsSameLine) keeps when it was first met, and whether it was met for its grace period;
// a new one starts as not met. Conditions are kept: one without a threshold ends after its
// transition period. The last observations and the last eviction are kept, too. Both lists have at
// most kMaxThresholds.
[[nodiscard]] EvictionState CarryOver(const EvictionState& state, std::span<const Threshold> from,
                                      std::span<const Threshold> to);

}  // namespace jettison
