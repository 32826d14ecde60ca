#include "core/evaluate/evaluate.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/model/pressure.h"

namespace jettison {
namespace {

using std::chrono::seconds;

constexpr Instant kStart{std::chrono::hours(1000)};
constexpr Duration kTransition = seconds(30);

Threshold Memory(std::int64_t value, Duration grace = {},
                 std::optional<ThresholdValue> reclaim = {}) {
  return {.signal = Signal::kMemoryAvailable,
          .value = Quantity::Of(value),
          .grace_period = grace,
          .min_reclaim = std::move(reclaim)};
}

Observations Available(std::int64_t bytes, std::optional<Instant> time = {}) {
  Observations seen;
  seen[Signal::kMemoryAvailable] = Observation{.available = bytes, .capacity = 1000, .time = time};
  return seen;
}

// Steps an evaluation through time.
class Stepper {
 public:
  explicit Stepper(std::vector<Threshold> thresholds)
      : policy_{.thresholds = std::move(thresholds), .pressure_transition_period = kTransition} {}

  Evaluation At(Duration at, const Observations& seen) {
    Evaluation result = Evaluate(policy_, state_, seen, kStart + at);
    state_ = result.next;
    return result;
  }
  Evaluation At(Duration at, std::int64_t available) {
    return At(at, Available(available, kStart + at));
  }

  void SetTransitionPeriod(Duration period) { policy_.pressure_transition_period = period; }

 private:
  PassPolicy policy_;
  EvictionState state_;
};

bool HasMemoryPressure(const Evaluation& result) {
  return result.next.conditions.Has(NodeConditionType::kMemoryPressure);
}

TEST(ThresholdsMet, AFractionOfAByteCountsAndWhatWasNotObservedMeetsNothing) {
  const std::vector<Threshold> thresholds = {
      {.signal = Signal::kMemoryAvailable, .value = *Quantity::Parse("100500m")}};
  EXPECT_TRUE(ThresholdsMet(thresholds, Available(100), false)[0]);
  EXPECT_FALSE(ThresholdsMet(thresholds, Available(101), false)[0]);
  EXPECT_TRUE(ThresholdsMet(thresholds, Observations{}, false).none());
}

TEST(ThresholdsMet, AmountsBeyondAllNumbersDoNotOverflow) {
  for (const float fraction : {INFINITY, NAN, 1e30F}) {
    const Quantity share = QuantityOf(Percentage{fraction}, 1000);
    EXPECT_EQ(share.Value(), std::numeric_limits<std::int64_t>::min());
  }
  const Quantity most = *Quantity::Parse("1e38");
  const std::vector<Threshold> thresholds = {
      {.signal = Signal::kMemoryAvailable, .value = most, .min_reclaim = most}};
  EXPECT_TRUE(ThresholdsMet(thresholds, Available(100), true)[0]);
}

TEST(Evaluate, TimesAtTheEndsOfTheWorldDoNotOverflow) {
  Stepper node({Memory(100, seconds(20))});
  (void)node.At(Duration::min() + (kStart.time_since_epoch()), 50);
  EXPECT_TRUE(node.At(Duration::max() - kStart.time_since_epoch(), 50).acting[0]);
}

TEST(Evaluate, AThresholdIsMetUntilItsMinimumReclaimAndActsAfterItsGracePeriod) {
  struct Step {
    int at;
    std::int64_t available;
    bool met;
    bool acting;
  };
  struct Row {
    std::string about;
    Threshold threshold;
    std::vector<Step> steps;
  };
  for (const Row& row : {
           Row{"it stays met until its minimum reclaim; a new crossing starts at the line itself",
               Memory(100, {}, Quantity::Of(50)),
               {{0, 99, true, true},
                {10, 149, true, true},
                {20, 150, false, false},
                {30, 149, false, false}}},
           Row{"a soft one acts when it was met for its whole grace period",
               Memory(100, seconds(20)),
               {{0, 50, true, false}, {10, 50, true, false}, {20, 50, true, true}}},
           Row{"a grace period starts anew after recovery",
               Memory(100, seconds(20)),
               {{0, 50, true, false},
                {10, 500, false, false},
                {20, 50, true, false},
                {40, 50, true, true}}},
           Row{"minimum reclaim holds only thresholds that were past their grace period",
               Memory(100, seconds(20), Quantity::Of(50)),
               {{0, 99, true, false}, {10, 120, false, false}}},
       }) {
    Stepper node({row.threshold});
    for (const Step& step : row.steps) {
      const Evaluation result = node.At(seconds(step.at), step.available);
      EXPECT_EQ(result.met[0], step.met) << row.about << " at " << step.at;
      EXPECT_EQ(result.acting[0], step.acting) << row.about << " at " << step.at;
      EXPECT_TRUE(HasMemoryPressure(result)) << "a condition has no grace period";
    }
  }
}

TEST(Evaluate, ALongerTransitionPeriodKeepsAConditionButBringsNoneBack) {
  Stepper kept({Memory(100)});
  (void)kept.At(seconds(0), 50);
  kept.SetTransitionPeriod(seconds(300));
  EXPECT_TRUE(HasMemoryPressure(kept.At(seconds(31), 500)));

  Stepper ended({Memory(100)});
  (void)ended.At(seconds(0), 50);
  EXPECT_FALSE(HasMemoryPressure(ended.At(seconds(30), 500)));
  ended.SetTransitionPeriod(seconds(300));
  EXPECT_FALSE(HasMemoryPressure(ended.At(seconds(31), 500)));
  EXPECT_TRUE(HasMemoryPressure(ended.At(seconds(40), 50)));
  EXPECT_TRUE(HasMemoryPressure(ended.At(seconds(339), 500)));
}

TEST(Evaluate, OldFiguresDoNotActTwiceUnlessTheyHaveNoTime) {
  Stepper node({Memory(100)});
  EXPECT_TRUE(node.At(seconds(0), Available(50, kStart)).acting[0]);
  const Evaluation again = node.At(seconds(10), Available(50, kStart));
  EXPECT_TRUE(again.overdue[0]);
  EXPECT_TRUE(again.acting.none());
  EXPECT_TRUE(node.At(seconds(20), Available(50)).acting[0]);
  EXPECT_TRUE(node.At(seconds(30), Available(50)).acting[0]);
}

TEST(GraceEnd, IsTheSoonestOfThoseThatAreMetAndNotOverdue) {
  const std::array<Threshold, 3> thresholds = {
      {{.signal = Signal::kMemoryAvailable, .grace_period = Duration::max()},
       {.signal = Signal::kNodeFsAvailable, .grace_period = seconds(30)},
       {.signal = Signal::kPidAvailable, .grace_period = seconds(10)}}};
  Evaluation evaluation;
  evaluation.next.first_observed_at.fill(kStart);
  EXPECT_EQ(NextGraceEnd(thresholds, evaluation), std::nullopt) << "no threshold is met";
  evaluation.met.set();
  evaluation.overdue[2] = true;
  EXPECT_EQ(NextGraceEnd(thresholds, evaluation), kStart + seconds(30));
  evaluation.overdue[1] = true;
  EXPECT_EQ(NextGraceEnd(thresholds, evaluation), Instant::max()) << "it is never over";
}

constexpr Instant kSince{seconds(100)};

Threshold Line(Signal signal, const ThresholdValue& value, Duration grace = Duration::zero()) {
  return {.signal = signal, .value = value, .grace_period = grace, .min_reclaim = std::nullopt};
}

const Threshold kMemory = Line(Signal::kMemoryAvailable, Quantity::Of(100));
const Threshold kSoftMemory = Line(Signal::kMemoryAvailable, Quantity::Of(200), seconds(30));
const Threshold kDisk = Line(Signal::kNodeFsAvailable, Percentage{0.1F});

TEST(CarryOver, ALineIsTheSameWhateverItsGracePeriodAndMinReclaim) {
  struct Row {
    std::string about;
    Threshold before;
    Threshold after;
    bool same;
  };
  Threshold reclaiming = kMemory;
  reclaiming.min_reclaim = Quantity::Of(10);
  const std::vector<Row> rows = {
      {"unchanged", kMemory, kMemory, true},
      {"another min reclaim", kMemory, reclaiming, true},
      {"another grace period", kSoftMemory,
       Line(Signal::kMemoryAvailable, Quantity::Of(200), seconds(60)), true},
      {"soft became hard", kSoftMemory, Line(Signal::kMemoryAvailable, Quantity::Of(200)), false},
      {"another value", kMemory, Line(Signal::kMemoryAvailable, Quantity::Of(101)), false},
      {"a share instead of an amount", kMemory, Line(Signal::kMemoryAvailable, Percentage{0.1F}),
       false},
      {"another share", kDisk, Line(Signal::kNodeFsAvailable, Percentage{0.2F}), false},
      {"another signal", kMemory, Line(Signal::kNodeFsAvailable, Quantity::Of(100)), false},
  };
  for (const Row& row : rows) EXPECT_EQ(IsSameLine(row.before, row.after), row.same) << row.about;
}

TEST(CarryOver, WhatWasMetStaysMetWhereverItStandsNow) {
  EvictionState state;
  state.met.set(1);
  state.first_observed_at[1] = kSince;
  state.first_observed_at[2] = kSince + seconds(5);
  state.first_observed_at[3] = kSince;
  state.conditions.Set(NodeConditionType::kMemoryPressure);
  state.condition_last_observed_at[IndexOf(NodeConditionType::kMemoryPressure)] = kSince;
  state.last_eviction = EvictionMark{.at = kSince, .available = {}};
  const Threshold pids = Line(Signal::kPidAvailable, Quantity::Of(9));
  const Threshold gone = Line(Signal::kPidAvailable, Quantity::Of(8));
  const EvictionState carried = CarryOver(state, std::vector{kMemory, kSoftMemory, kDisk, gone},
                                          std::vector{kDisk, pids, kSoftMemory, kMemory});
  EXPECT_EQ(carried.first_observed_at[0], kSince + seconds(5));
  EXPECT_EQ(carried.first_observed_at[1], std::nullopt) << "a new threshold starts again";
  EXPECT_EQ(carried.first_observed_at[2], kSince);
  EXPECT_EQ(carried.first_observed_at[3], std::nullopt) << "nothing is left of one that went";
  EXPECT_EQ(carried.met, ThresholdSet(0b100));
  EXPECT_TRUE(carried.conditions.Has(NodeConditionType::kMemoryPressure));
  EXPECT_EQ(carried.condition_last_observed_at, state.condition_last_observed_at);
  ASSERT_TRUE(carried.last_eviction);
  EXPECT_EQ(carried.last_eviction->at, kSince);
}

// A shortened grace period may be over at once; a lengthened one continues.
TEST(CarryOver, AChangedGracePeriodCountsFromWhenTheLineWasFirstMet) {
  Observations low;
  low[Signal::kMemoryAvailable] = Observation{.available = 150, .capacity = 1000, .time = kSince};
  const PassPolicy before{.thresholds = {kSoftMemory}};
  const EvictionState met = Evaluate(before, {}, low, kSince).next;
  const Instant now = kSince + seconds(20);
  low[Signal::kMemoryAvailable]->time = now;
  const auto after = [&](Duration grace, Instant at) {
    const PassPolicy changed{
        .thresholds = {Line(Signal::kMemoryAvailable, Quantity::Of(200), grace)}};
    return Evaluate(changed, CarryOver(met, before.thresholds, changed.thresholds), low, at);
  };
  EXPECT_TRUE(after(seconds(10), now).acting[0]);
  EXPECT_FALSE(after(seconds(60), now).acting[0]);
  EXPECT_TRUE(after(seconds(60), kSince + seconds(60)).overdue[0])
      << "counted from the first crossing";
}

constexpr Instant kPressureStart{std::chrono::hours(1000)};
constexpr Signal kSignal = Signal::kMemoryPressureFullAvg10;

// A node with a threshold of 20% of the last ten seconds, stepped through time. The average follows
// the stalls that are set, as the kernel's does.
class StalledNode {
 public:
  explicit StalledNode(Signal signal = kSignal, double window = 10)
      : signal_(signal), window_(window) {
    policy_.thresholds = {{.signal = signal, .value = LeftOf(2000)}};
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
    Evaluation result = Evaluate(policy_, state_, seen_, now_);
    state_ = result.next;
    return result;
  }
  void PodFailed() { MarkEviction(seen_, now_, state_); }
  [[nodiscard]] double average() const { return average_; }

 private:
  Signal signal_;
  double window_;
  PassPolicy policy_;
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
  const PassPolicy policy{.thresholds = {{.signal = kSignal, .value = LeftOf(50)}}};
  EvictionState state;
  MarkEviction(Lost(561), kPressureStart, state);
  for (const auto& [after, lost] : {std::pair(10, 385), {11, 315}, {13, 258}, {20, 127}}) {
    const Instant now = kPressureStart + seconds(after);
    EXPECT_TRUE(Evaluate(policy, state, Lost(lost), now).acting.none()) << after;
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
  const PassPolicy policy{.thresholds = {{.signal = kSignal, .value = LeftOf(2000)}}};
  EvictionState state;
  MarkEviction({}, kPressureStart, state);
  const auto acts = [&](Duration after) -> bool {
    return Evaluate(policy, state, Lost(3000), kPressureStart + after).acting[0];
  };
  EXPECT_FALSE(acts(seconds(9)));
  EXPECT_TRUE(acts(seconds(10)));
}

TEST(Pressure, OtherSignalsActRightAfterAnEviction) {
  const PassPolicy policy{
      .thresholds = {{.signal = Signal::kMemoryAvailable, .value = Quantity::Of(100)}}};
  Observations seen;
  seen[Signal::kMemoryAvailable] = Observation{.available = 50, .capacity = 1000};
  EvictionState state;
  MarkEviction(seen, kPressureStart, state);
  EXPECT_TRUE(Evaluate(policy, state, seen, kPressureStart + seconds(1)).acting[0]);
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
