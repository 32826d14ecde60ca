#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/signal.h"
#include "core/units/duration.h"
#include "view/snapshot.h"

namespace jettison {

// Working sets in bytes, by the pod's name.
using WorkingSets = std::map<std::string, std::uint64_t, std::less<>>;

struct DemoEviction {
  std::string pod;
  Instant at;
  std::string message;       // of the pod's status
  WorkingSets working_sets;  // of every pod, as last read before
};

struct DemoReturn {
  std::string pod;
  Instant at;
  NodeConditions conditions;  // of the node when it ran again
};

struct ConditionChange {
  Instant at;
  NodeConditionType type = NodeConditionType::kMemoryPressure;
  bool pressure = false;
};

// What became of one pod so far.
struct PodHistory {
  int evictions = 0;
  int restarts = 0;
  bool oom_killed = false;
  bool runs = false;  // in the last snapshot
  bool gone = false;  // evicted, and nothing of it is left on the node; it is not back yet
};

// What happened on the demo's node, gathered from one snapshot after the other.
struct DemoHistory {
  std::optional<Instant> first;
  Instant last;
  std::vector<DemoEviction> evictions;      // in order
  std::vector<DemoReturn> returns;          // of evicted pods, in order
  std::vector<ConditionChange> conditions;  // in order
  std::map<std::string, PodHistory, std::less<>> pods;
  std::optional<std::int64_t> lowest_memory_available;  // bytes

  void Record(const Snapshot& snapshot);
  // The pod's first eviction; null where it has not been evicted.
  [[nodiscard]] const DemoEviction* EvictionOf(std::string_view pod) const;
  // The pod's first return; null where it has not come back.
  [[nodiscard]] const DemoReturn* ReturnOf(std::string_view pod) const;
  // When the condition became that for the first time; absent where it never did.
  [[nodiscard]] std::optional<Instant> When(NodeConditionType type, bool pressure) const;

 private:
  void RecordPod(const PodView& view, const Snapshot& snapshot);

  NodeConditions last_conditions_;
  WorkingSets last_working_sets_;
};

}  // namespace jettison
