#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/schedule/next_look.h"

namespace jettison {
namespace {

constexpr std::uint64_t kOneMi = 1 << 20;

MemoryStats StatsOf(std::uint64_t capacity, std::uint64_t usage, std::uint64_t inactive) {
  return {.time = std::nullopt,
          .available_bytes = capacity - (usage - inactive),
          .usage_bytes = usage,
          .working_set_bytes = usage - inactive};
}

Threshold Of(Signal signal, ThresholdValue value) {
  return {.signal = signal,
          .value = std::move(value),
          .grace_period = Duration::zero(),
          .min_reclaim = std::nullopt};
}

TEST(MemoryLevels, CapacityLessThresholdPlusInactiveFileForEveryThresholdOnMemory) {
  const std::vector<Threshold> thresholds = {
      Of(Signal::kMemoryAvailable, Quantity::Of(100 * kOneMi)),
      Of(Signal::kNodeFsAvailable, Percentage{0.1F}),
      Of(Signal::kMemoryAvailable, Percentage{0.5F}),
      Of(Signal::kAllocatableMemoryAvailable, Quantity::Of(100 * kOneMi))};
  NodeStats node;
  node.memory = StatsOf(512 * kOneMi, 200 * kOneMi, 50 * kOneMi);
  node.pods_memory = StatsOf(400 * kOneMi, 100 * kOneMi, 10 * kOneMi);
  EXPECT_THAT(
      MemoryLevels(thresholds, node),
      testing::ElementsAre(MemoryLevel{0, Signal::kMemoryAvailable, 462 * kOneMi},
                           MemoryLevel{2, Signal::kMemoryAvailable, 306 * kOneMi},
                           MemoryLevel{3, Signal::kAllocatableMemoryAvailable, 310 * kOneMi}));
  node.memory->available_bytes.reset();
  EXPECT_EQ(MemoryLevels(thresholds, node).size(), 1U) << "an unknown signal has no level";
}

TEST(MemoryLevels, AreRegisteredAnewOnlyWhenTheyMoveFurtherThanTheKernelLooks) {
  const std::vector<MemoryLevel> registered = {{0, Signal::kMemoryAvailable, 100 * kOneMi}};
  const auto moved_to = [&](std::uint64_t bytes) {
    const std::vector<MemoryLevel> wanted = {{0, Signal::kMemoryAvailable, bytes}};
    return LevelsMoved(registered, wanted);
  };
  EXPECT_FALSE(moved_to(100 * kOneMi));
  EXPECT_FALSE(moved_to(100 * kOneMi + kLevelSlack));
  EXPECT_FALSE(moved_to(100 * kOneMi - kLevelSlack));
  EXPECT_TRUE(moved_to(100 * kOneMi + kLevelSlack + 1));
  EXPECT_TRUE(LevelsMoved({}, registered));
  EXPECT_TRUE(LevelsMoved(registered, {}));
}

}  // namespace
}  // namespace jettison
