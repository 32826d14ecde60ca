#include "core/decide/memory_ladder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

constexpr std::int64_t kMebi = 1 << 20;

Threshold HardMemory(std::int64_t mebibytes) {
  return {.signal = Signal::kMemoryAvailable, .value = Quantity::Of(mebibytes * kMebi)};
}

Threshold Soft(std::int64_t mebibytes, std::int64_t min_reclaim) {
  return {.signal = Signal::kMemoryAvailable,
          .value = Quantity::Of(mebibytes * kMebi),
          .grace_period = seconds(30),
          .min_reclaim = Quantity::Of(min_reclaim * kMebi)};
}

std::uint64_t GoalAt(std::int64_t available, const std::vector<Threshold>& thresholds) {
  Observations observations;
  observations[Signal::kMemoryAvailable] = {.available = available * kMebi,
                                            .capacity = 1000 * kMebi};
  return LadderGoal(thresholds, observations) / kMebi;
}

TEST(LadderGoal, ASoftThresholdAsksForItsValueAndMinimumReclaim) {
  EXPECT_EQ(GoalAt(350, {Soft(300, 50)}), 0U);
  EXPECT_EQ(GoalAt(310, {Soft(300, 50)}), 40U) << "a threshold that was met still is";
  EXPECT_EQ(GoalAt(280, {Soft(300, 50)}), 70U);
}

TEST(LadderGoal, AHardThresholdAsksBeforeItIsReachedAndNotAfter) {
  EXPECT_EQ(GoalAt(150, {HardMemory(100)}), 0U);
  EXPECT_EQ(GoalAt(149, {HardMemory(100)}), 1U);
  EXPECT_EQ(GoalAt(100, {HardMemory(100)}), 50U);
  EXPECT_EQ(GoalAt(99, {HardMemory(100)}), 0U) << "a pod is being evicted";
  EXPECT_EQ(GoalAt(99, {Soft(300, 0), HardMemory(100)}), 0U);
}

TEST(LadderGoal, TheThresholdThatLacksMostCounts) {
  EXPECT_EQ(GoalAt(120, {HardMemory(100), Soft(300, 0)}), 180U);
}

TEST(LadderGoal, WhatIsNotKnownOrNotOfMemoryAsksForNothing) {
  EXPECT_EQ(LadderGoal(std::vector{HardMemory(100)}, Observations{}), 0U);
  Observations observations;
  observations[Signal::kNodeFsAvailable] = {.available = 1, .capacity = 1000};
  EXPECT_EQ(LadderGoal(std::vector{Threshold{.signal = Signal::kNodeFsAvailable,
                                             .value = Quantity::Of(100),
                                             .grace_period = seconds(1)}},
                       observations),
            0U);
}

TEST(MayBeSqueezed, CriticalAndGuaranteedPodsMayNot) {
  PodFacts facts;
  EXPECT_TRUE(MayBeSqueezed(facts));
  facts.qos = QosClass::kGuaranteed;
  EXPECT_FALSE(MayBeSqueezed(facts));
  facts.qos = QosClass::kBurstable;
  facts.protection = Protection::kCritical;
  EXPECT_FALSE(MayBeSqueezed(facts));
}

TEST(IsIdle, OneInAHundredOfACpuOverFiveSecondsIs) {
  const Instant start(seconds(1000));
  const CpuSample before{.used_us = 1'000'000, .at = start};
  EXPECT_TRUE(IsIdle(before, {.used_us = 1'050'000, .at = start + seconds(5)}));
  EXPECT_FALSE(IsIdle(before, {.used_us = 1'050'001, .at = start + seconds(5)}));
  EXPECT_FALSE(IsIdle(before, {.used_us = 1'000'000, .at = start + seconds(4)})) << "too soon";
  EXPECT_FALSE(IsIdle(before, {.used_us = 1'000'000, .at = start + seconds(61)})) << "long ago";
  EXPECT_FALSE(IsIdle(before, {.used_us = 5, .at = start + seconds(5)})) << "a different group";
  EXPECT_FALSE(IsIdle(std::nullopt, {.used_us = 5, .at = start}));
}

std::vector<std::string> NamesIn(const std::vector<LadderGroup>& groups) {
  std::vector<std::string> names;
  for (const LadderGroup& group : groups) names.push_back(group.group);
  return names;
}

TEST(LadderOrder, TheDeadComeFirstThenThoseOfLowPriorityThenTheLargest) {
  constexpr auto kDead = MemoryReclaim::kDead;
  constexpr auto kIdle = MemoryReclaim::kIdle;
  const auto ordered = LadderOrder({{kIdle, "important", 5, 900 * kMebi},
                                    {kIdle, "small", 1, 2 * kMebi},
                                    {kIdle, "large", 1, 9 * kMebi},
                                    {kIdle, "b", 1, 3 * kMebi},
                                    {kIdle, "a", 1, 3 * kMebi},
                                    {kDead, "dead", 0, 1 * kMebi},
                                    {kDead, "empty", 0, kMebi - 1}});
  EXPECT_THAT(NamesIn(ordered), ElementsAre("dead", "large", "a", "b", "small", "important"));
}

}  // namespace
}  // namespace jettison
