#include "core/observe/observations.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

constexpr Instant kNoon{std::chrono::hours(12)};

TEST(Observations, MemoryWithoutWorkingSetIsUnknown) {
  Summary summary;
  summary.node.memory = MemoryStats{.time = kNoon, .available_bytes = 30};
  EXPECT_FALSE(ObservationsFrom(summary)[Signal::kMemoryAvailable]);
}

TEST(Observations, BytesAndInodesOfAFileSystemAreKnownSeparately) {
  Summary summary;
  summary.node.fs = FsStats{.available_bytes = 5, .capacity_bytes = 9};         // no inodes
  summary.node.image_fs = FsStats{.inodes_free = 2, .inodes = 4};               // no bytes
  summary.node.container_fs = FsStats{.available_bytes = 5, .inodes_free = 2};  // no capacity
  const Observations seen = ObservationsFrom(summary);
  EXPECT_EQ(seen[Signal::kNodeFsAvailable]->available, 5);
  EXPECT_FALSE(seen[Signal::kNodeFsInodesFree]);
  EXPECT_FALSE(seen[Signal::kImageFsAvailable]);
  EXPECT_EQ(seen[Signal::kImageFsInodesFree]->capacity, 4);
  EXPECT_FALSE(seen[Signal::kContainerFsAvailable]);
  EXPECT_FALSE(seen[Signal::kContainerFsInodesFree]);
}

TEST(Observations, SwapIsWhatIsFreeOfThatAndWhatIsTaken) {
  Summary summary;
  summary.node.swap = SwapStats{.time = kNoon, .available_bytes = 30, .usage_bytes = 70};
  const auto seen = ObservationsFrom(summary)[Signal::kSwapAvailable];
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->available, 30);
  EXPECT_EQ(seen->capacity, 100);
  EXPECT_EQ(seen->time, kNoon);
  for (const SwapStats& swap : {SwapStats{.available_bytes = 0, .usage_bytes = 0},
                                SwapStats{.available_bytes = 30}, SwapStats{.usage_bytes = 70}}) {
    summary.node.swap = swap;
    EXPECT_FALSE(ObservationsFrom(summary)[Signal::kSwapAvailable]) << "none, or not accounted";
  }
}

TEST(Observations, OfPressureTheTimeThatWasNotLostIsAvailable) {
  Summary summary;
  summary.node.memory_pressure =
      PressureStats{.time = kNoon, .some = {.avg10 = 1234, .avg60 = 0}, .full = {.avg60 = 10'000}};
  summary.node.io_pressure = PressureStats{.full = {.avg10 = 1}};
  const Observations seen = ObservationsFrom(summary);
  EXPECT_EQ(seen[Signal::kMemoryPressureSomeAvg10]->available, 8766);
  EXPECT_EQ(seen[Signal::kMemoryPressureSomeAvg10]->capacity, 10'000);
  EXPECT_EQ(seen[Signal::kMemoryPressureSomeAvg10]->time, kNoon);
  EXPECT_EQ(seen[Signal::kMemoryPressureSomeAvg60]->available, 10'000);
  EXPECT_FALSE(seen[Signal::kMemoryPressureFullAvg10]) << "an old kernel does not report it";
  EXPECT_EQ(seen[Signal::kMemoryPressureFullAvg60]->available, 0);
  EXPECT_EQ(seen[Signal::kIoPressureFullAvg10]->available, 9999);
  EXPECT_FALSE(seen[Signal::kIoPressureSomeAvg10]);
  EXPECT_FALSE(seen[Signal::kMemoryAvailable]);
}

TEST(Observations, NothingMeasuredIsNothingObserved) {
  const Observations seen = ObservationsFrom(Summary{});
  for (Signal signal : kAllSignals) EXPECT_FALSE(seen[signal]) << NameOf(signal);
}

TEST(Observations, WhatANodeDoesNotHaveIsNotWhatCouldNotBeRead) {
  NodeStats node;
  for (const Signal signal : kAllSignals) EXPECT_FALSE(HasNoSuch(node, signal)) << NameOf(signal);
  node.fs = FsStats{.available_bytes = 1, .capacity_bytes = 2};
  node.image_fs = FsStats{};  // asked, and no answer
  node.container_fs =
      FsStats{.available_bytes = 1, .capacity_bytes = 2, .inodes_free = 0, .inodes = 1};
  node.swap = SwapStats{.available_bytes = 0, .usage_bytes = 0};
  EXPECT_TRUE(HasNoSuch(node, Signal::kNodeFsInodesFree)) << "as on btrfs";
  EXPECT_FALSE(HasNoSuch(node, Signal::kNodeFsAvailable));
  EXPECT_FALSE(HasNoSuch(node, Signal::kImageFsInodesFree));
  EXPECT_FALSE(HasNoSuch(node, Signal::kContainerFsInodesFree));
  EXPECT_TRUE(HasNoSuch(node, Signal::kSwapAvailable));
  node.swap->usage_bytes = 1;
  EXPECT_FALSE(HasNoSuch(node, Signal::kSwapAvailable)) << "all of it is taken";
}

}  // namespace
}  // namespace jettison
