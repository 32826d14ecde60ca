#include "agent/schedule/next_look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/model/pressure.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kGi = std::int64_t{1} << 30;
constexpr Instant kBegin{std::chrono::hours(1)};

Threshold Of(Signal signal, std::int64_t value) {
  return {.signal = signal, .value = Quantity::Of(value), .min_reclaim = {}};
}

// The next look where so much is left, and a threshold lies at `value`.
Duration NextWith(Signal signal, std::int64_t available, std::int64_t value = kGi) {
  Observations seen;
  seen[signal] = {.available = available, .capacity = 100 * kGi, .time = std::nullopt};
  return NextLook(std::vector{Of(signal, value)}, seen);
}

TEST(NextLook, ComesWhenSixteenGibibytesASecondWouldBeAtTheThreshold) {
  for (const Signal signal :
       {Signal::kMemoryAvailable, Signal::kAllocatableMemoryAvailable, Signal::kSwapAvailable}) {
    EXPECT_EQ(NextWith(signal, 3 * kGi), milliseconds(125)) << NameOf(signal);
    EXPECT_EQ(NextWith(signal, kGi + 1), kNearestLook);
    EXPECT_EQ(NextWith(signal, 50 * kGi), kFarthestLook);
  }
}

TEST(NextLook, ComesHalfASecondLaterForADiskAndWhereEveryThresholdIsCrossedOnPressureOrUnknown) {
  EXPECT_EQ(NextWith(Signal::kNodeFsAvailable, kGi + 1), kFarthestLook);
  EXPECT_EQ(NextWith(Signal::kMemoryAvailable, kGi - 1), kFarthestLook);
  EXPECT_EQ(NextWith(Signal::kIoPressureSomeAvg10, 2 * kGi), kFarthestLook);
  EXPECT_EQ(NextLook(std::vector{Of(Signal::kSwapAvailable, kGi)}, {}), kFarthestLook);
}

TEST(NextLook, ComesBeforeAForkBombCouldBeAtTheThreshold) {
  EXPECT_EQ(NextWith(Signal::kPidAvailable, 13'276, 3'276), milliseconds(100));
  EXPECT_EQ(NextWith(Signal::kPidAvailable, 3'286, 3'276), kNearestLook);
}

TEST(NextPaceLook, ComesAfterFiveMillisecondsAtFirstAndTwentyLater) {
  EXPECT_EQ(NextPaceLook(kBegin, kBegin), milliseconds(5));
  EXPECT_EQ(NextPaceLook(kBegin, kBegin + milliseconds(200)), milliseconds(10));
  EXPECT_EQ(NextPaceLook(kBegin, kBegin + seconds(30)), milliseconds(20));
}

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
