#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/evaluate/evaluate.h"
#include "core/model/eviction_order.h"
#include "core/model/pod_origin.h"
#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// The state that affects decisions and must survive a restart of the agent. (state_keeper.h)

struct KeptCondition {
  NodeConditionType type = NodeConditionType::kMemoryPressure;
  bool status = false;
  std::optional<Instant> last_observed;  // its transition period runs from then on
  Instant changed;
  friend bool operator==(const KeptCondition&, const KeptCondition&) = default;
};

// A threshold that is met. It is identified by its text, because the next agent may have others.
struct KeptThreshold {
  std::string text;
  Instant first_observed;
  bool overdue = false;
  friend bool operator==(const KeptThreshold&, const KeptThreshold&) = default;
};

// When a pod was last evicted, and the available amounts of the pressure signals then.
struct KeptMark {
  Instant at;
  std::vector<std::pair<Signal, std::int32_t>> available;
  friend bool operator==(const KeptMark&, const KeptMark&) = default;
};

// Pods whose end is awaited before more is decided.
struct KeptWait {
  std::vector<std::string> pods;  // UIDs
  std::vector<Resource> hard_for;
  Instant deadline;
  friend bool operator==(const KeptWait&, const KeptWait&) = default;
};

struct KeptNode {
  std::vector<KeptCondition> conditions;
  std::vector<KeptThreshold> thresholds;
  std::optional<KeptMark> last_eviction;
  std::optional<KeptWait> wait;
  friend bool operator==(const KeptNode&, const KeptNode&) = default;
};

// The back-off of one container.
struct KeptRun {
  std::string container;
  int attempt = 0;
  Duration next_delay{0};             // after its next end
  std::optional<Instant> restart_at;  // that attempt has ended
  friend bool operator==(const KeptRun&, const KeptRun&) = default;
};

// An eviction that is being carried out.
struct KeptEnding {
  std::string reason;
  std::string message;
  bool disruption_target = false;
  Instant kill_at;
  friend bool operator==(const KeptEnding&, const KeptEnding&) = default;
};

// An evicted pod that is not on the node, and may come back.
struct KeptAbsence {
  std::string reason;  // of its status
  std::string message;
  Instant comes_back_at;
  friend bool operator==(const KeptAbsence&, const KeptAbsence&) = default;
};

struct KeptPod {
  std::string name;  // "namespace/name"
  std::string uid;
  int evictions = 0;
  Duration next_delay{0};          // of its return, after the next eviction
  std::optional<Instant> started;  // absent: it is out
  std::optional<KeptEnding> ending;
  std::optional<KeptAbsence> absence;
  std::optional<bool> ended_well;  // its work is done; absent: it is not
  std::vector<KeptRun> runs;
  friend bool operator==(const KeptPod&, const KeptPod&) = default;
};

// Counters that change whenever the kept state has changed by more than the passing of time.
struct KeptChanges {
  std::uint64_t all = 0;
  std::uint64_t evictions = 0;  // pods that were told to end
  friend bool operator==(const KeptChanges&, const KeptChanges&) = default;
};

struct KeptState {
  KeptNode node;
  std::vector<KeptPod> pods;
  SoftEvictionsSoFar soft;
  friend bool operator==(const KeptState&, const KeptState&) = default;
};

}  // namespace jettison
