#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/signal.h"
#include "core/units/duration.h"
#include "view/snapshot.h"

namespace jettison {

// What happened on the demo's node, gathered from one snapshot after the other.
struct DemoHistory {
  struct Eviction {
    std::string pod;
    Instant at;
    std::string message;  // of the pod's status
  };
  struct Return {  // of an evicted pod
    std::string pod;
    Instant at;
    bool under_pressure = false;  // the node, when it ran again
  };
  struct ConditionChange {
    Instant at;
    NodeConditionType type = NodeConditionType::kMemoryPressure;
    bool pressure = false;
  };
  struct PodHistory {
    int evictions = 0;
    int restarts = 0;
    bool oom_killed = false;
    bool runs = false;  // in the last snapshot
    bool gone = false;  // evicted, and nothing of it is left on the node; it is not back yet
  };

  std::optional<Instant> first;
  Instant last;
  // In the order in which they happened.
  std::vector<Eviction> evictions;
  std::vector<Return> returns;
  std::vector<ConditionChange> conditions;
  std::map<std::string, PodHistory, std::less<>> pods;
  // Memory beyond the pod's request in bytes, before the first eviction.
  std::map<std::string, double, std::less<>> excess;
  std::optional<std::int64_t> lowest_memory_available;  // bytes

  void Record(const Snapshot& snapshot);
  // The pod's first eviction or return; null where there was none.
  [[nodiscard]] const Eviction* EvictionOf(std::string_view pod) const;
  [[nodiscard]] const Return* ReturnOf(std::string_view pod) const;

 private:
  NodeConditions last_conditions_;
};

// One act: a culprit's gate opens, and the act is over when the culprit has been evicted.
struct DemoAct {
  std::string_view pod;                      // the culprit
  std::string_view title;                    // what it does
  std::string_view lesson;                   // why it is evicted, and no other pod
  Signal signal = Signal::kMemoryAvailable;  // what pods are ranked for
  std::string_view message;                  // what the message of its eviction begins with
  std::string_view promise;                  // what that means
};
[[nodiscard]] std::span<const DemoAct> DemoActs();

// Leads through the acts, one at a time, then waits until the node is calm and everybody is back.
// An act whose culprit is not evicted within 12 s is given up, and the whole ends after 56 s.
// `patience`: on a slow machine it takes so many times that long.
class DemoScript {
 public:
  explicit DemoScript(int patience = 1) : patience_(patience) {}

  void Advance(const Snapshot& snapshot, const DemoHistory& history);

  // 0: the pods start. 1 to DemoActs().size(): that act. Then: calm returns.
  [[nodiscard]] std::size_t act() const { return act_; }
  [[nodiscard]] bool finished() const { return finished_; }
  // The pod whose gate is to be open; empty: none. It closes with the eviction, so that the pod
  // behaves when it comes back.
  [[nodiscard]] std::string_view OpenGate() const;

  // "act 1 of 4: leaker grows by 40 MiB a second", and what that teaches.
  [[nodiscard]] std::string Title() const;
  [[nodiscard]] std::string_view Lesson() const;
  // What pods are ranked for.
  [[nodiscard]] Signal RankedFor() const;

 private:
  [[nodiscard]] const DemoAct* Current() const;
  [[nodiscard]] bool IsOver(const Snapshot& snapshot, const DemoHistory& history);
  [[nodiscard]] bool HoldsFor(bool state, Duration span, Instant now);

  int patience_;
  std::size_t act_ = 0;
  bool evicted_ = false;  // the culprit of this act
  bool finished_ = false;
  std::optional<Instant> started_;
  Instant act_started_;
  std::optional<Instant> holds_since_;
};

}  // namespace jettison
