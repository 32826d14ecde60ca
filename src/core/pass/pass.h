#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/decide/decide.h"
#include "core/decide/early_kill.h"
#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"
#include "core/model/eviction.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/observe/observations.h"
#include "core/pods/pod_facts.h"
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
  ThresholdSet may_act;                  // of those that act
  std::optional<std::size_t> threshold;  // the most urgent of them; absent: there is none
  // The one on a disk that would be acted for if no pod may be evicted for a margin.
  std::optional<std::size_t> disk;
  PodFigures pods = PodFigures::kNone;
};

// Evaluates the node's figures and plans which figures of pods to read. Storage limits need all
// figures; thresholds on memory or swap need the memory of the pods alone. `allowed` are those that
// the pass may act for, for example because no evicted pods are awaited.
[[nodiscard]] ReadingPlan PlanReading(const PassPolicy& policy, const EvictionState& state,
                                      const NodeStats& node, Instant now,
                                      ThresholdSet allowed = ThresholdSet().set());

// What a pass is going to do, decided by the pods' figures that its plan asked for.
struct PassDecision {
  Decision decision;
  std::optional<EvictionPause> pause;  // present: the eviction of the victim waits
  std::optional<PaceInput> pace;       // what is known of the threshold's resource
};

// What is known of earlier evictions and of growth when a pass would act for a threshold; absent:
// the eviction does not wait.
using PaceOf = std::function<std::optional<PaceInput>(std::size_t threshold)>;

// Makes the decision of a pass. `pods` are the active pods joined with their figures; the figures
// of the victim's containers may still be missing. If the eviction waits, the pass goes on to the
// other hard thresholds that may act, each on another resource or, where the one that waits is
// soft, on another signal. None of them is on a disk, because pods' files have to be measured for
// that, and there is none beside a disk, because a pass without disk use acts for it anyway.
[[nodiscard]] PassDecision DecidePass(const PassPolicy& policy, const ReadingPlan& plan,
                                      std::span<const ActivePod> pods, const PaceOf& pace_of);

// The thresholds that a pass with this input of its pace (as in PassInput) acted for: if a hard one
// on the signal of the pace acts, those on more urgent signals were found to wait.
[[nodiscard]] ThresholdSet ToActOn(const PassPolicy& policy, const Evaluation& evaluation,
                                   const std::optional<PaceInput>& pace);

// The same where the pace is known, as it is of a pass that is repeated.
[[nodiscard]] PassDecision DecidePass(const PassPolicy& policy, const ReadingPlan& plan,
                                      std::span<const ActivePod> pods,
                                      const std::optional<PaceInput>& pace);

// A pod that a pass failed.
struct EvictionRecord {
  EvictionOrder order;
  std::optional<StorageLimitKind> storage_limit;  // that the pod broke; absent: node pressure
  std::optional<std::string> kill_error;
  std::optional<EvictOutcome> outcome;  // absent: it could not even begin
};

// A pod of which something still runs although it was killed. It was killed again. It is not
// ranked, because an eviction would do nothing more, so other pods are chosen.
struct SurvivorRecord {
  std::string pod_uid;
  Instant since;  // the first kill
  int kills = 0;
};

// A pod that was ranked for a disk by figures that were not measured for the pass.
struct StaleDiskRecord {
  std::string pod_uid;
  std::optional<Instant> measured_at;  // absent: never, so the pod could not go

  [[nodiscard]] friend bool operator==(const StaleDiskRecord&, const StaleDiskRecord&) = default;
};

// Everything that a pass did and why. Logs, metrics, status and replays are made from it.
struct CycleReport {
  Instant at;
  Observations observations;
  Evaluation evaluation;
  std::optional<Threshold> acting_for;  // the threshold that was acted for
  std::vector<ReclaimStep> reclaim_attempted;
  std::vector<std::string> reclaim_errors;
  bool reclaim_under_way = false;  // no pod is evicted before it is over
  bool relieved_by_reclaim = false;
  std::optional<Observation> after_reclaim;  // of the signal acted for, by the look after a reclaim
  // Pods that were killed before their grace period was over, since the last pass.
  std::vector<EarlyKill> early_kills;
  std::optional<EvictionPause> pause;       // present: no eviction was made, the next one waits
  std::optional<Signal> ranked_for;         // absent where no ranking took place
  std::vector<std::string> ranking;         // UIDs in the order of eviction; filled on request
  std::vector<StaleDiskRecord> stale_disk;  // where pods were ranked for a disk; by the pods' order
  std::vector<SurvivorRecord> survivors;    // where something was acted for
  std::vector<SparedPod> spared;            // where a soft threshold was acted for; by UID
  std::vector<Event> events;                // in order
  std::vector<EvictionRecord> evictions;    // in order
  [[nodiscard]] NodeConditions conditions() const { return evaluation.next.conditions; }
};

// Whether any of its evictions came to that.
[[nodiscard]] bool HasOutcome(const CycleReport& report, EvictOutcome outcome);
// UIDs of the pods that it told to end.
[[nodiscard]] std::vector<std::string> EndingPodsOf(const CycleReport& report);

// "Failed" pods carry this reason, rejected ones too.
inline constexpr const char* kReasonEvicted = "Evicted";

[[nodiscard]] Event ReclaimEvent(Resource resource);           // EvictionThresholdMet, on the node
[[nodiscard]] Event EvictedEvent(const EvictionOrder& order);  // Evicted, on the pod

// "NodeHasInsufficientMemory" and its like for each condition that differs, in a fixed order.
[[nodiscard]] std::vector<Event> ConditionEvents(NodeConditions before, NodeConditions after);

// One condition as a v1.NodeCondition tells it.
struct NodeConditionText {
  std::string_view type;     // "MemoryPressure"
  std::string_view status;   // "True" or "False"
  std::string_view reason;   // "KubeletHasInsufficientMemory"
  std::string_view message;  // "kubelet has insufficient memory available"
};
[[nodiscard]] NodeConditionText TextOf(NodeConditionType type, bool pressure);

// One pass with all its inputs and its report, as values: it can be repeated with the same result,
// and explained when the pods are gone.
struct RecordedPass {
  std::uint64_t number = 0;                  // of passes since the agent started, from 1
  std::shared_ptr<const PassPolicy> policy;  // as for that pass: a watch pass has no storage limits
  EvictionState before;                      // the state it began with
  Summary summary;                           // its figures
  std::vector<std::shared_ptr<const PodFacts>> pods;  // active ones, by namespace and name
  CycleReport report;
  std::optional<PaceInput> pace;         // as in PassInput
  std::optional<Summary> after_reclaim;  // the node after a reclaim; absent: it was not read again
};

// "namespace/name" of a pod that took part in it; of any other, the UID itself.
[[nodiscard]] std::string NameOfPod(const RecordedPass& pass, std::string_view uid);

}  // namespace jettison
