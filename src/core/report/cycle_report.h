#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/decide/decide.h"
#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"
#include "core/model/event.h"
#include "core/model/eviction_order.h"
#include "core/model/pod_origin.h"
#include "core/model/signal.h"

namespace jettison {

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

}  // namespace jettison
