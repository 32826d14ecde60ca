#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

using std::chrono::seconds;

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
  const std::vector<Threshold> before = {kMemory, kSoftMemory, kDisk};
  const std::vector<Threshold> after = {kDisk, Line(Signal::kPidAvailable, Quantity::Of(9)),
                                        kSoftMemory, kMemory};
  const EvictionState carried = CarryOver(state, before, after);
  EXPECT_EQ(carried.first_observed_at[0], kSince + seconds(5));
  EXPECT_EQ(carried.first_observed_at[1], std::nullopt) << "a new threshold starts again";
  EXPECT_EQ(carried.first_observed_at[2], kSince);
  EXPECT_EQ(carried.first_observed_at[3], std::nullopt);
  EXPECT_EQ(carried.met, ThresholdSet(0b100));
}

TEST(CarryOver, ALineThatWentLeavesNothingBehind) {
  EvictionState state;
  state.met.set(0);
  state.first_observed_at[0] = kSince;
  const EvictionState carried = CarryOver(state, std::vector{kMemory}, std::vector{kDisk});
  EXPECT_EQ(carried.met, ThresholdSet());
  EXPECT_EQ(carried.first_observed_at[0], std::nullopt);
}

TEST(CarryOver, ConditionsTheLastEvictionAndObservationsStay) {
  EvictionState state;
  state.conditions.Set(NodeConditionType::kMemoryPressure);
  state.condition_last_observed_at[IndexOf(NodeConditionType::kMemoryPressure)] = kSince;
  state.last_eviction = EvictionMark{.at = kSince, .available = {}};
  const EvictionState carried = CarryOver(state, std::vector{kMemory}, std::vector{kDisk});
  EXPECT_TRUE(carried.conditions.Has(NodeConditionType::kMemoryPressure));
  EXPECT_EQ(carried.condition_last_observed_at, state.condition_last_observed_at);
  ASSERT_TRUE(carried.last_eviction);
  EXPECT_EQ(carried.last_eviction->at, kSince);
}

// A shortened grace period may be over at once; a lengthened one continues.
TEST(CarryOver, AChangedGracePeriodCountsFromWhenTheLineWasFirstMet) {
  Observations low;
  low[Signal::kMemoryAvailable] = Observation{.available = 150, .capacity = 1000, .time = kSince};
  const std::vector<Threshold> before = {kSoftMemory};
  const Duration transition = seconds(300);
  const EvictionState met = Evaluate(before, transition, {}, low, kSince).next;
  const Instant now = kSince + seconds(20);
  low[Signal::kMemoryAvailable]->time = now;
  const std::vector<Threshold> shorter = {
      Line(Signal::kMemoryAvailable, Quantity::Of(200), seconds(10))};
  const std::vector<Threshold> longer = {
      Line(Signal::kMemoryAvailable, Quantity::Of(200), seconds(60))};
  EXPECT_TRUE(Evaluate(shorter, transition, CarryOver(met, before, shorter), low, now).acting[0]);
  EXPECT_FALSE(Evaluate(longer, transition, CarryOver(met, before, longer), low, now).acting[0]);
  const auto later =
      Evaluate(longer, transition, CarryOver(met, before, longer), low, kSince + seconds(60));
  EXPECT_TRUE(later.overdue[0]) << "counted from the first crossing";
}

}  // namespace
}  // namespace jettison
