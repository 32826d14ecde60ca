#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "cli/demo/demo_history.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "view/snapshot.h"

namespace jettison {

// One act: a culprit's gate opens, and the act is over when the culprit has been evicted.
struct DemoAct {
  std::string_view pod;                       // the culprit
  std::string_view title;                     // what it does
  std::string_view lesson;                    // why it is evicted, and no other pod
  std::optional<NodeConditionType> pressure;  // what the node is under meanwhile; absent: nothing
  Signal signal = Signal::kMemoryAvailable;   // what pods are ranked for
};
[[nodiscard]] std::span<const DemoAct> DemoActs();

// The longest that a demo may last, on a machine that needs no patience.
inline constexpr Duration kDemoDeadline = std::chrono::seconds(56);

// What is to be done now.
struct DemoCues {
  std::optional<std::string_view> open_gate;   // of this pod
  std::optional<std::string_view> close_gate;  // so that the pod behaves when it comes back
  bool finished = false;
};

// Leads through the acts, one at a time, then waits until the node is calm and everybody is back.
// An act whose culprit is not evicted within a quarter of a minute is given up. `patience`: on a
// slow machine it takes so many times that long, and the whole so many times kDemoDeadline.
class DemoScript {
 public:
  explicit DemoScript(int patience = 1) : patience_(patience) {}

  [[nodiscard]] DemoCues Advance(const Snapshot& snapshot, const DemoHistory& history);

  // 0: the pods start. 1 to DemoActs().size(): that act. Then: calm returns.
  [[nodiscard]] std::size_t act() const { return act_; }
  // The act on stage; null before the first and after the last.
  [[nodiscard]] const DemoAct* Current() const;

 private:
  [[nodiscard]] bool IsOver(const Snapshot& snapshot, const DemoHistory& history);
  [[nodiscard]] bool HoldsFor(bool state, Duration span, Instant now);

  int patience_;
  std::size_t act_ = 0;
  std::optional<Instant> started_;
  Instant act_started_;
  bool gate_open_ = false;
  std::optional<Instant> holds_since_;
};

}  // namespace jettison
