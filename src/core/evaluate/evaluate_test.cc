#include "core/evaluate/evaluate.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

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
  explicit Stepper(std::vector<Threshold> thresholds) : thresholds_(std::move(thresholds)) {}

  Evaluation At(Duration at, const Observations& seen) {
    Evaluation result = Evaluate(thresholds_, transition_, state_, seen, kStart + at);
    state_ = result.next;
    return result;
  }
  Evaluation At(Duration at, std::int64_t available) {
    return At(at, Available(available, kStart + at));
  }

  void SetTransitionPeriod(Duration period) { transition_ = period; }

 private:
  std::vector<Threshold> thresholds_;
  Duration transition_ = kTransition;
  EvictionState state_;
};

bool HasMemoryPressure(const Evaluation& result) {
  return result.next.conditions.Has(NodeConditionType::kMemoryPressure);
}

TEST(ThresholdsMet, AFractionOfAByteCounts) {
  const std::vector<Threshold> thresholds = {
      {.signal = Signal::kMemoryAvailable, .value = *Quantity::Parse("100500m")}};
  EXPECT_TRUE(ThresholdsMet(thresholds, Available(100), false)[0]);
  EXPECT_FALSE(ThresholdsMet(thresholds, Available(101), false)[0]);
}

TEST(ThresholdsMet, SharesThatFitNoIntegerAreTheSmallestOne) {
  for (const float fraction : {INFINITY, NAN, 1e30F}) {
    const Quantity share = QuantityOf(Percentage{fraction}, 1000);
    EXPECT_EQ(share.Value(), std::numeric_limits<std::int64_t>::min());
  }
}

TEST(Evaluate, TimesAtTheEndsOfTheWorldDoNotOverflow) {
  Stepper node({Memory(100, seconds(20))});
  (void)node.At(Duration::min() + (kStart.time_since_epoch()), 50);
  EXPECT_TRUE(node.At(Duration::max() - kStart.time_since_epoch(), 50).acting[0]);
}

TEST(ThresholdsMet, AnUnobservedSignalMeetsNothing) {
  EXPECT_TRUE(ThresholdsMet(std::vector{Memory(100)}, Observations{}, false).none());
}

TEST(Evaluate, AMetThresholdStaysMetUntilMinimumReclaimIsReached) {
  Stepper node({Memory(100, {}, Quantity::Of(50))});
  EXPECT_TRUE(node.At(seconds(0), 99).met[0]);
  EXPECT_TRUE(node.At(seconds(10), 149).met[0]) << "above the line, not yet above line + reclaim";
  EXPECT_FALSE(node.At(seconds(20), 150).met[0]);
  EXPECT_FALSE(node.At(seconds(30), 149).met[0]) << "a new crossing starts at the line itself";
}

TEST(Evaluate, ASoftThresholdActsWhenItWasMetForItsWholeGracePeriod) {
  Stepper node({Memory(100, seconds(20))});
  EXPECT_TRUE(node.At(seconds(0), 50).acting.none());
  EXPECT_TRUE(HasMemoryPressure(node.At(seconds(10), 50))) << "conditions have no grace period";
  EXPECT_TRUE(node.At(seconds(20), 50).acting[0]);
}

TEST(Evaluate, AGracePeriodStartsAnewAfterRecovery) {
  Stepper node({Memory(100, seconds(20))});
  (void)node.At(seconds(0), 50);
  (void)node.At(seconds(10), 500);
  EXPECT_TRUE(node.At(seconds(20), 50).acting.none());
  EXPECT_TRUE(node.At(seconds(40), 50).acting[0]);
}

TEST(Evaluate, MinimumReclaimHoldsOnlyThresholdsThatWerePastTheirGracePeriod) {
  Stepper node({Memory(100, seconds(20), Quantity::Of(50))});
  EXPECT_TRUE(node.At(seconds(0), 99).met[0]);
  EXPECT_FALSE(node.At(seconds(10), 120).met[0]);
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

TEST(Evaluate, OldFiguresDoNotActTwice) {
  Stepper node({Memory(100)});
  EXPECT_TRUE(node.At(seconds(0), Available(50, kStart)).acting[0]);
  const Evaluation again = node.At(seconds(10), Available(50, kStart));
  EXPECT_TRUE(again.overdue[0]);
  EXPECT_TRUE(again.acting.none());
}

TEST(Evaluate, FiguresWithoutATimeAlwaysAct) {
  Stepper node({Memory(100)});
  (void)node.At(seconds(0), Available(50));
  EXPECT_TRUE(node.At(seconds(10), Available(50)).acting[0]);
}

TEST(GraceEnd, IsTheSoonestOfThoseThatAreMetAndNotOverdue) {
  const std::array<Threshold, 3> thresholds = {
      {{.signal = Signal::kMemoryAvailable, .grace_period = seconds(60)},
       {.signal = Signal::kNodeFsAvailable, .grace_period = seconds(30)},
       {.signal = Signal::kPidAvailable, .grace_period = seconds(10)}}};
  Evaluation evaluation;
  evaluation.next.first_observed_at.fill(kStart);
  EXPECT_EQ(NextGraceEnd(thresholds, evaluation), std::nullopt) << "no threshold is met";
  evaluation.met.set();
  evaluation.overdue[2] = true;
  EXPECT_EQ(NextGraceEnd(thresholds, evaluation), kStart + seconds(30));
}

TEST(GraceEnd, OfAPeriodLongerThanTimeIsNeverOver) {
  const std::array<Threshold, 1> thresholds = {
      {{.signal = Signal::kMemoryAvailable, .grace_period = Duration::max()}}};
  Evaluation evaluation;
  evaluation.next.first_observed_at.fill(kStart);
  evaluation.met.set();
  EXPECT_EQ(NextGraceEnd(thresholds, evaluation), Instant::max());
}

}  // namespace
}  // namespace jettison
