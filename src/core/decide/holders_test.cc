#include "core/decide/holders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/decide/ranking.h"
#include "core/pods/pod_facts.h"

namespace jettison {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// -1: there is no such part.
std::int64_t AmountOf(const Holders& holders, std::string_view key) {
  const auto part = std::ranges::find(holders.parts, key, &HolderPart::key);
  return part == holders.parts.end() ? -1 : part->amount;
}

std::int64_t SumOf(const Holders& holders) {
  std::int64_t sum = 0;
  for (const HolderPart& part : holders.parts) sum += part.amount;
  return sum;
}

// Three pods: one that may be evicted, one that is critical, a foreign one.
class HoldersTest : public testing::Test {
 protected:
  HoldersTest() {
    facts_[1].protection = Protection::kCritical;
    facts_[1].pod.priority = 2'000'000'000;
    facts_[2].protection = Protection::kObserved;
    for (std::size_t i = 0; i < facts_.size(); ++i) pods_.push_back({&facts_[i], &stats_[i]});
  }
  std::array<PodFacts, 3> facts_;
  std::array<PodStats, 3> stats_;
  std::vector<ActivePod> pods_;
};

class MemoryHoldersTest : public HoldersTest {
 protected:
  MemoryHoldersTest() {
    for (std::size_t i = 0; i < stats_.size(); ++i) {
      stats_[i].memory_working_set_bytes = (i + 1) * 10 * kMiB;
    }
  }
  std::optional<Holders> Of(std::uint64_t all_mi, std::uint64_t pods_group_mi) {
    NodeStats node;
    node.memory = MemoryStats{
        .working_set_bytes = all_mi * kMiB, .shared_bytes = 30 * kMiB, .kernel_bytes = 5 * kMiB};
    node.pods_memory = MemoryStats{.working_set_bytes = pods_group_mi * kMiB};
    return HoldersOf(Signal::kMemoryAvailable, node, pods_, {}, 20 * kMiB);
  }
};

TEST_F(MemoryHoldersTest, EveryByteHasOneHolder) {
  const auto holders = Of(500, 120);
  ASSERT_TRUE(holders);
  EXPECT_EQ(SumOf(*holders), holders->all);
  EXPECT_TRUE(AreOthers(*holders));
  EXPECT_EQ(
      TextOf(*holders),
      "processes outside the pods 380Mi, files, pages and processes of no pod 40Mi, foreign pods "
      "that are only observed 30Mi, pods that are never evicted 20Mi, pods that are ending 20Mi, "
      "pods that may be evicted 10Mi; of all this tmpfs and shared memory 30Mi, the kernel 5Mi");
}

TEST_F(MemoryHoldersTest, FiguresOfDifferentMomentsNeverMakeAHolderNegative) {
  const auto holders = Of(50, 10);
  EXPECT_EQ(AmountOf(*holders, "gone"), 0);
  EXPECT_EQ(AmountOf(*holders, "outside"), 0);
}

TEST(HoldersText, OfWhatIsNextToNothingTheLargestHolderIsNamed) {
  const auto text_of = [](std::int64_t ours, std::int64_t theirs) {
    return TextOf(
        {.parts = {{.name = "pods", .amount = ours}, {.name = "others", .amount = theirs}}});
  };
  EXPECT_EQ(text_of(64 << 10, 192 << 10), "others 192Ki");
  EXPECT_EQ(text_of(5, 2 * kMiB), "others 2Mi");
}

TEST(HoldersText, WhatPodsFreeThatMayGoIsNotOfOthers) {
  const auto are_others = [](std::int64_t theirs) {
    return AreOthers({.parts = {{.amount = 40, .may_be_freed = true},
                                {.amount = 20, .may_be_freed = true},
                                {.amount = theirs}}});
  };
  EXPECT_FALSE(are_others(60));
  EXPECT_TRUE(are_others(61));
}

class DiskHoldersTest : public HoldersTest {
 protected:
  DiskHoldersTest() {
    facts_[0].local_volumes = {"v"};
    stats_[0].containers = {{.name = "c", .rootfs = Use(10), .logs = Use(20)}};
    stats_[0].volumes = {{.name = "v", .usage = Use(30)},
                         {.name = std::string(kDeletedFiles), .usage = Use(40)},
                         {.name = std::string(kDeletedInLayers), .usage = Use(50)}};
    stats_[1].containers = {{.name = "c", .rootfs = {}, .logs = Use(5)}};
    stats_[2].containers = {{.name = "c", .rootfs = Use(6), .logs = {}}};
    node_.fs = FsStats{.used_bytes = 1000 * kMiB, .inodes_used = 100'000};
    node_.image_fs = FsStats{.used_bytes = 500 * kMiB};
  }
  static FsUsage Use(std::uint64_t mi) { return {.used_bytes = mi * kMiB, .inodes_used = mi}; }
  std::optional<Holders> Of(Signal signal, DiskLayout layout = {}) {
    return HoldersOf(signal, node_, pods_, layout, 0);
  }
  NodeStats node_;
};

TEST_F(DiskHoldersTest, EveryByteHasOneHolder) {
  const auto holders = Of(Signal::kNodeFsAvailable);
  ASSERT_TRUE(holders);
  EXPECT_EQ(SumOf(*holders), holders->all);
  EXPECT_TRUE(AreOthers(*holders));
  EXPECT_EQ(TextOf(*holders),
            "files that are no pod's own 839Mi, deleted files that are held open 90Mi, local "
            "volumes 30Mi, logs 20Mi, writable layers 10Mi, foreign pods that are only observed "
            "6Mi, pods that are never evicted 5Mi");
  EXPECT_EQ(NameOfStore(holders->signal), "disk");
}

TEST_F(DiskHoldersTest, OnAFileSystemOfImagesOnlyWhatIsOnItCounts) {
  const DiskLayout images{.dedicated_image_fs = true};
  const auto holders = Of(Signal::kImageFsAvailable, images);
  ASSERT_TRUE(holders);
  EXPECT_EQ(holders->all, 500 * kMiB);
  EXPECT_EQ(AmountOf(*holders, "deletedFiles"), 50 * kMiB);
  EXPECT_EQ(AmountOf(*holders, "logs"), 0);
  EXPECT_EQ(CountedText(pods_[0], Signal::kImageFsAvailable, images),
            "deleted files that are held open 50Mi, writable layers 10Mi");
  EXPECT_EQ(CountedText(pods_[0], Signal::kNodeFsAvailable, images),
            "deleted files that are held open 40Mi, local volumes 30Mi, logs 20Mi");
}

TEST_F(DiskHoldersTest, WhereNoPodWasMeasuredThereAreNone) {
  for (PodStats& stats : stats_) stats.stale_disk = StaleDisk{};
  EXPECT_FALSE(Of(Signal::kNodeFsAvailable));
  stats_[1].stale_disk.reset();
  EXPECT_TRUE(Of(Signal::kNodeFsAvailable));
  node_.fs.reset();
  EXPECT_FALSE(Of(Signal::kNodeFsAvailable));
}

TEST_F(DiskHoldersTest, DeletedFilesCountInTheOrderOfEviction) {
  stats_[2] = {};
  stats_[2].volumes = {{.name = std::string(kDeletedFiles), .usage = Use(900)}};
  facts_[2].protection = Protection::kNone;
  const DiskLayout one_disk;
  EXPECT_EQ(FirstVictim(pods_, Signal::kNodeFsAvailable, one_disk), 2U);
  EXPECT_EQ(FirstVictim(pods_, Signal::kImageFsAvailable, {.dedicated_image_fs = true}), 0U);
  stats_[2].volumes[0].usage = {};
  EXPECT_EQ(FirstVictim(pods_, Signal::kNodeFsAvailable, one_disk), 0U) << "they are unknown";
}

}  // namespace
}  // namespace jettison
