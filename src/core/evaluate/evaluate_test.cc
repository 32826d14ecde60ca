#include "core/evaluate/evaluate.h"

#include <gtest/gtest.h>

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

TEST(ThresholdsMet, AreThoseStrictlyAboveTheAvailableAmount) {
  const std::vector<Threshold> thresholds = {Memory(100)};
  EXPECT_TRUE(ThresholdsMet(thresholds, Available(99), false)[0]);
  EXPECT_FALSE(ThresholdsMet(thresholds, Available(100), false)[0]);
}

TEST(ThresholdsMet, AFractionOfAByteCounts) {
  const std::vector<Threshold> thresholds = {
      {.signal = Signal::kMemoryAvailable, .value = *Quantity::Parse("100500m")}};
  EXPECT_TRUE(ThresholdsMet(thresholds, Available(100), false)[0]);
  EXPECT_FALSE(ThresholdsMet(thresholds, Available(101), false)[0]);
}

TEST(ThresholdsMet, APercentageIsOfTheCapacityRoundedDown) {
  // 0.15F is a little more than 15%, but its share of 1000 is still truncated to 150.
  const std::vector<Threshold> thresholds = {
      {.signal = Signal::kMemoryAvailable, .value = Percentage{0.15F}}};
  EXPECT_TRUE(ThresholdsMet(thresholds, Available(149), false)[0]);
  EXPECT_FALSE(ThresholdsMet(thresholds, Available(150), false)[0]);
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

TEST(ThresholdsMet, MinimumReclaimRaisesTheLineOnlyWhenEnforced) {
  const std::vector<Threshold> thresholds = {Memory(100, {}, Percentage{0.05F})};
  EXPECT_FALSE(ThresholdsMet(thresholds, Available(149), false)[0]);
  EXPECT_TRUE(ThresholdsMet(thresholds, Available(149), true)[0]);
  EXPECT_FALSE(ThresholdsMet(thresholds, Available(150), true)[0]);
}

TEST(Evaluate, AHardThresholdActsAtOnce) {
  Stepper node({Memory(100)});
  const Evaluation result = node.At(seconds(0), 50);
  EXPECT_TRUE(result.acting[0]);
  EXPECT_TRUE(HasMemoryPressure(result));
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

TEST(Evaluate, AConditionHoldsForTheTransitionPeriodAfterItWasLastSeen) {
  Stepper node({Memory(100)});
  (void)node.At(seconds(0), 50);
  EXPECT_TRUE(HasMemoryPressure(node.At(seconds(29), 500)));
  EXPECT_FALSE(HasMemoryPressure(node.At(seconds(30), 500)));
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

TEST(PressureRelieved, NeedsEveryThresholdOfEverySignalAboveItsReclaimLine) {
  const std::vector<Threshold> thresholds = {Memory(100, {}, Quantity::Of(50))};
  EXPECT_FALSE(PressureRelieved(thresholds, Available(149)));
  EXPECT_TRUE(PressureRelieved(thresholds, Available(150)));
}

TEST(QuantityOf, APercentageIsPrintedAsBytes) {
  EXPECT_EQ(QuantityOf(Percentage{0.5F}, 2048).ToString(), "1Ki");
  EXPECT_EQ(QuantityOf(*Quantity::Parse("10e9"), 0).ToString(), "10e9");
}

}  // namespace
}  // namespace jettison
