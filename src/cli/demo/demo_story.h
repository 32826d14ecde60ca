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

// Something that the demo promised to show.
struct Expectation {
  std::string what;  // a sentence that is true when it held
  bool held = false;
  std::string detail;  // the figures behind it, or what happened instead
};

// Leads through the acts, one at a time, then waits until the node is calm and everybody is back;
// and keeps what happened, to check it at the end. An act whose culprit is not evicted within 12 s
// is given up, and the whole ends after 56 s. `patience`: on a slow machine it takes so many times
// that long.
class DemoStory {
 public:
  explicit DemoStory(int patience = 1) : patience_(patience) {}

  void GoOn(const Snapshot& snapshot);

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
  [[nodiscard]] double Seconds() const { return SecondsAt(now_); }

  // Checks everything that happened against the kubelet's rules: which pods were evicted, why and
  // in which order, which were left alone, which conditions came and went, and which pods came
  // back.
  [[nodiscard]] std::vector<Expectation> Check() const;

 private:
  struct PodRecord {
    int evictions = 0;
    int restarts = 0;
    bool oom_killed = false;
    bool runs = false;   // in the last snapshot
    bool gone = false;   // evicted, and nothing of it is left on the node; it is not back yet
    double excess = 0;   // memory beyond its request in bytes, before the first eviction
    Instant evicted_at;  // the first time
    std::string message;
    std::optional<Instant> back_at;  // the first time after an eviction
    bool let_in = false;             // ... after its first eviction
    bool let_in_under_pressure = false;
  };
  struct ConditionRecord {
    int times = 0;  // set
    std::optional<Instant> set;
    std::optional<Instant> cleared;
  };

  void Record(const Snapshot& snapshot);
  void RecordPod(const PodView& view, const Snapshot& snapshot);
  [[nodiscard]] bool IsActOver(const Snapshot& snapshot);
  [[nodiscard]] bool HoldsFor(bool state, Duration span);
  [[nodiscard]] const DemoAct* Current() const;
  [[nodiscard]] const PodRecord& Of(std::string_view pod) const;
  [[nodiscard]] double SecondsAt(Instant at) const;

  int patience_;
  std::size_t act_ = 0;
  bool finished_ = false;
  std::optional<Instant> began_;
  Instant now_;
  Instant act_began_;
  std::optional<Instant> holds_since_;
  std::vector<std::string> evicted_;  // pods, in this order
  std::map<std::string, PodRecord, std::less<>> pods_;
  std::map<NodeConditionType, ConditionRecord> conditions_;
  std::optional<std::int64_t> lowest_memory_;  // available, in bytes
};

}  // namespace jettison
