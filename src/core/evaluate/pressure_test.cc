#include "core/model/pressure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

using std::chrono::seconds;

constexpr Instant kPressureStart{std::chrono::hours(1000)};
constexpr Signal kSignal = Signal::kMemoryPressureFullAvg10;

// A node with a threshold of 20% of the last ten seconds, stepped through time. The average follows
// the stalls that are set, as the kernel's does.
class StalledNode {
 public:
  explicit StalledNode(Signal signal = kSignal, double window = 10)
      : signal_(signal), window_(window) {
    thresholds_ = {{.signal = signal, .value = LeftOf(2000)}};
  }
  // Loses `share` of the time from now on, and lets the seconds pass.
  Evaluation After(double share, double passed) {
    average_ = share + (average_ - share) * std::exp(-passed / window_);
    now_ += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(passed));
    seen_ = {};
    seen_[signal_] =
        Observation{.available = kWholeTime - static_cast<std::int64_t>(average_ * 100),
                    .capacity = kWholeTime,
                    .time = now_};
    Evaluation result = Evaluate(thresholds_, seconds(30), state_, seen_, now_);
    state_ = result.next;
    return result;
  }
  void PodFailed() { MarkEviction(seen_, now_, state_); }
  [[nodiscard]] double average() const { return average_; }

 private:
  Signal signal_;
  double window_;
  std::vector<Threshold> thresholds_;
  Instant now_ = kPressureStart;
  double average_ = 0;
  Observations seen_;
  EvictionState state_;
};

Observations Lost(std::int32_t share) {
  Observations seen;
  seen[kSignal] = Observation{.available = kWholeTime - share, .capacity = kWholeTime};
  return seen;
}

TEST(Pressure, AThresholdIsMetWhenTheAverageIsAboveItsValue) {
  const std::vector<Threshold> thresholds = {{.signal = kSignal, .value = LeftOf(2000)}};
  EXPECT_FALSE(ThresholdsMet(thresholds, Lost(2000), false)[0]);
  EXPECT_TRUE(ThresholdsMet(thresholds, Lost(2001), false)[0]);
  EXPECT_FALSE(ThresholdsMet(thresholds, {}, false)[0]) << "an unknown value meets no threshold";
}

TEST(Pressure, AThresholdOfAllTheTimeIsNeverMet) {
  const std::vector<Threshold> thresholds = {{.signal = kSignal, .value = LeftOf(kWholeTime)}};
  EXPECT_FALSE(ThresholdsMet(thresholds, Lost(kWholeTime), false)[0]);
}

TEST(Pressure, StallsActAsSoonAsTheyAreInTheAverage) {
  StalledNode node;
  EXPECT_TRUE(node.After(90, 1).acting.none());
  EXPECT_TRUE(node.After(90, 2).acting[0]);
}

TEST(Pressure, WhatIsLeftInTheAverageAfterAnEvictionDoesNotAct) {
  StalledNode node;
  EXPECT_TRUE(node.After(90, 60).acting[0]);
  node.PodFailed();
  double passed = 0;
  for (bool met = true; met; passed += 1) {
    const Evaluation result = node.After(0, 1);
    met = result.met[0];
    EXPECT_TRUE(result.acting.none()) << "after " << passed << " s at " << node.average();
  }
  EXPECT_GT(passed, 12) << "the condition held meanwhile";
}

TEST(Pressure, StallsThatTheAverageDidNotHoldYetAtTheEvictionDoNotActEither) {
  // Recorded from a kernel: the last two seconds of the culprit's stalls appeared after its death.
  const std::vector<Threshold> thresholds = {{.signal = kSignal, .value = LeftOf(50)}};
  EvictionState state;
  MarkEviction(Lost(561), kPressureStart, state);
  for (const auto& [after, lost] : {std::pair(10, 385), {11, 315}, {13, 258}, {20, 127}}) {
    const Instant now = kPressureStart + seconds(after);
    EXPECT_TRUE(Evaluate(thresholds, seconds(30), state, Lost(lost), now).acting.none()) << after;
  }
}

TEST(Pressure, StallsThatGoOnAfterAnEvictionActOnceTheWindowHasPassed) {
  for (const double share : {30.0, 50.0, 90.0}) {
    StalledNode node;
    EXPECT_TRUE(node.After(90, 60).acting[0]);
    node.PodFailed();
    EXPECT_TRUE(node.After(share, 9.9).acting.none());
    double passed = 10;
    while (node.After(share, 1).acting.none() && passed < 60) passed += 1;
    EXPECT_LE(passed, share < 40 ? 20 : 11) << share;
  }
}

TEST(Pressure, ALongerAverageWaitsForItsOwnWindow) {
  StalledNode node(Signal::kIoPressureSomeAvg60, 60);
  EXPECT_TRUE(node.After(90, 300).acting[0]);
  node.PodFailed();
  EXPECT_TRUE(node.After(90, 59).acting.none());
  EXPECT_TRUE(node.After(90, 2).acting[0]);
}

TEST(Pressure, AnAverageThatWasUnknownAtTheEvictionWaitsForTheWindowOnly) {
  const std::vector<Threshold> thresholds = {{.signal = kSignal, .value = LeftOf(2000)}};
  EvictionState state;
  MarkEviction({}, kPressureStart, state);
  const auto acts = [&](Duration after) -> bool {
    return Evaluate(thresholds, seconds(30), state, Lost(3000), kPressureStart + after).acting[0];
  };
  EXPECT_FALSE(acts(seconds(9)));
  EXPECT_TRUE(acts(seconds(10)));
}

TEST(Pressure, OtherSignalsActRightAfterAnEviction) {
  const std::vector<Threshold> thresholds = {
      {.signal = Signal::kMemoryAvailable, .value = Quantity::Of(100)}};
  Observations seen;
  seen[Signal::kMemoryAvailable] = Observation{.available = 50, .capacity = 1000};
  EvictionState state;
  MarkEviction(seen, kPressureStart, state);
  EXPECT_TRUE(
      Evaluate(thresholds, seconds(30), state, seen, kPressureStart + seconds(1)).acting[0]);
}

TEST(Pressure, DoesNotCountAgainstAReclaim) {
  const std::vector<Threshold> thresholds = {
      {.signal = kSignal, .value = LeftOf(2000)},
      {.signal = Signal::kNodeFsAvailable, .value = Quantity::Of(100)}};
  Observations seen = Lost(9000);
  seen[Signal::kNodeFsAvailable] = Observation{.available = 100, .capacity = 1000};
  EXPECT_TRUE(PressureRelieved(thresholds, seen));
  seen[Signal::kNodeFsAvailable]->available = 99;
  EXPECT_FALSE(PressureRelieved(thresholds, seen));
}

}  // namespace
}  // namespace jettison
