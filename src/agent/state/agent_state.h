#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/evaluate/evaluate.h"
#include "core/model/eviction.h"
#include "core/model/runtime_records.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/clock.h"
#include "sources/kubernetes/evictions/pod_eviction.h"

namespace jettison {

// The state that affects decisions and must survive a restart of the agent. (state_file.h)

struct SavedCondition {
  NodeConditionType type = NodeConditionType::kMemoryPressure;
  bool status = false;
  std::optional<Instant> last_observed;  // its transition period runs from then on
  Instant changed;
  friend bool operator==(const SavedCondition&, const SavedCondition&) = default;
};

// A threshold that is met. It is identified by its text, because the next agent may have others.
struct SavedThreshold {
  std::string text;
  Instant first_observed;
  bool overdue = false;
  friend bool operator==(const SavedThreshold&, const SavedThreshold&) = default;
};

// When a pod was last evicted, and the available amounts of the pressure signals then.
struct SavedMark {
  Instant at;
  std::vector<std::pair<Signal, std::int32_t>> available;
  friend bool operator==(const SavedMark&, const SavedMark&) = default;
};

// Pods whose end is awaited before more is decided.
struct SavedWait {
  std::vector<std::string> pods;  // UIDs
  bool hard = false;              // some were evicted with the grace period of a hard eviction
  Instant deadline;
  friend bool operator==(const SavedWait&, const SavedWait&) = default;
};

struct SavedNode {
  std::vector<SavedCondition> conditions;
  std::vector<SavedThreshold> thresholds;
  std::optional<SavedMark> last_eviction;
  std::optional<SavedWait> wait;
  friend bool operator==(const SavedNode&, const SavedNode&) = default;
};

// An eviction that is being carried out.
struct SavedEnding {
  std::string reason;
  std::string message;
  bool disruption_target = false;
  Instant kill_at;
  friend bool operator==(const SavedEnding&, const SavedEnding&) = default;
};

// An evicted pod that is not on the node, and may come back.
struct SavedAbsence {
  std::string reason;  // of its status
  std::string message;
  Instant comes_back_at;
  friend bool operator==(const SavedAbsence&, const SavedAbsence&) = default;
};

struct SavedPod {
  std::string name;  // "namespace/name"
  std::string uid;
  int evictions = 0;
  Duration next_delay{0};          // of its return, after the next eviction
  std::optional<Instant> started;  // absent: it is out
  std::optional<SavedEnding> ending;
  std::optional<SavedAbsence> absence;
  std::optional<bool> ended_well;  // its work is done; absent: it is not
  friend bool operator==(const SavedPod&, const SavedPod&) = default;
};

// Counters that change whenever the state has changed by more than the passing of time.
struct StateChanges {
  std::uint64_t all = 0;
  std::uint64_t evictions = 0;  // pods that were told to end
  friend bool operator==(const StateChanges&, const StateChanges&) = default;
};

// Everything that outlives the agent.
struct AgentState {
  SavedNode node;
  std::vector<SavedPod> pods;
  SoftEvictionsSoFar soft;
  std::vector<kube::EvictionIntent> cluster_evictions;  // that the API server has not confirmed
  std::vector<ImageRecord> images;                      // sorted by ID
  friend bool operator==(const AgentState&, const AgentState&) = default;
};

// A state as JSON, with the moment by which the next agent understands its times.
[[nodiscard]] std::string FormatState(const AgentState& state, const Clock& clock);

// Parses such a text. Thresholds count as met since it was written; a text that is older than 30 s,
// which a restart may take, says nothing of them. An image that was in use counts as used now,
// because nobody has looked since. After a reboot of the machine, of the pods only absences and
// their delays are kept, and nothing of the node, because nothing that ran before still runs.
// Fails if the text is not JSON, or of another version.
[[nodiscard]] Result<AgentState> ParseState(std::string_view text, const Clock& clock);

}  // namespace jettison
