#include "agent/reclaim/reclaimer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/reclaim/testing/image_test_bed.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class ReclaimerTest : public testing::Test {
 protected:
  ReclaimerTest() {
    bed_.Add("a");
    Pass(seconds(1));
    bed_.store.TakeCommands();
  }
  void Pass(Duration time) { bed_.Pass(reclaimer_, time); }

  ImageTestBed bed_;
  std::size_t dead_ = 0;
  int asked_ = 0;
  bool removing_ = false;
  ImageCollector collector_{{}, bed_.Dependencies()};
  Reclaimer reclaimer_{{.clock = bed_.clock,
                        .figures = bed_.disk,
                        .images = &collector_,
                        .delete_dead_containers =
                            [this] {
                              ++asked_;
                              return std::exchange(dead_, 0);
                            },
                        .is_removing = [this] { return removing_; }}};
};

TEST_F(ReclaimerTest, DeadContainersAreUnderWayUntilTheirSpaceIsFree) {
  dead_ = 2;
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  EXPECT_EQ(asked_, 1);
  bed_.disk.available_mi += 30;
  Pass(seconds(2));
  EXPECT_EQ(reclaimer_.ContainerBytes(), 30 * kTestMi);
  EXPECT_FALSE(reclaimer_.UnderWay());
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kDone);
  EXPECT_EQ(asked_, 1) << "a finished reclaim is reported, not repeated";
}

TEST_F(ReclaimerTest, WhatIsBeingRemovedAlreadyIsWaitedForAMinuteAtMost) {
  removing_ = true;
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  Pass(seconds(30));
  removing_ = false;
  Pass(seconds(1));
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kDone);
  reclaimer_.Forget();
  removing_ = true;
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  Pass(seconds(61));
  EXPECT_THAT(reclaimer_.DeleteDeadContainers().error().message, HasSubstr("still being removed"));
}

TEST_F(ReclaimerTest, WithNothingToDeleteItIsDone) {
  Reclaimer dry_run({.clock = bed_.clock, .figures = bed_.disk, .images = nullptr});
  EXPECT_EQ(dry_run.DeleteDeadContainers(), ReclaimProgress::kDone);
  EXPECT_EQ(dry_run.DeleteUnusedImages(), ReclaimProgress::kDone);
  EXPECT_FALSE(dry_run.NextDeadline());
}

TEST_F(ReclaimerTest, ImagesComeAfterTheContainersThatUsedThem) {
  dead_ = 1;
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kUnderWay);
  EXPECT_THAT(bed_.store.TakeCommands(), testing::IsEmpty());
  Pass(seconds(5));
  EXPECT_THAT(bed_.store.TakeCommands(), ElementsAre("list", "remove a"));
  EXPECT_FALSE(reclaimer_.UnderWay());
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kDone);
}

TEST_F(ReclaimerTest, ForgottenItIsDoneAnew) {
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kUnderWay);
  Pass(seconds(5));
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kDone);
  reclaimer_.Forget();
  bed_.store.TakeCommands();
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kUnderWay);
  EXPECT_THAT(bed_.store.TakeCommands(), ElementsAre("list"));
}

TEST_F(ReclaimerTest, AfterAMinuteWhoeverWaitsGoesOnWithoutIt) {
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kUnderWay);
  bed_.store.DeliverOne();
  bed_.store.Hang();
  Pass(seconds(59));
  EXPECT_TRUE(reclaimer_.UnderWay());
  Pass(seconds(1));
  EXPECT_FALSE(reclaimer_.UnderWay());
  EXPECT_EQ(reclaimer_.DeleteUnusedImages().error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_TRUE(collector_.DeletingUnused()) << "a reclaim that has begun continues";
}

TEST_F(ReclaimerTest, DrivesThePeriodicCollection) {
  bed_.disk.available_mi = 100;
  Pass(minutes(6));
  EXPECT_THAT(bed_.store.TakeCommands(), Contains("remove a"));
  EXPECT_FALSE(reclaimer_.UnderWay()) << "no reclaim was requested";
}

const Instant kStart{std::chrono::hours(1)};

NodeStats WithImageFs(std::uint64_t available, std::uint64_t inodes = 100) {
  NodeStats stats;
  stats.image_fs = FsStats{.available_bytes = available, .inodes_free = inodes};
  return stats;
}

TEST(SpaceSettling, InodesAndOtherFileSystemsCountAsWell) {
  SpaceSettling settling(WithImageFs(100), kStart);
  EXPECT_FALSE(settling.Look(WithImageFs(100, 101), kStart + milliseconds(900)));
  NodeStats stats = WithImageFs(100);
  stats.container_fs = FsStats{.available_bytes = 5};
  EXPECT_FALSE(settling.Look(stats, kStart + milliseconds(1800)));
  EXPECT_TRUE(settling.Look(stats, kStart + milliseconds(2800)));
}

TEST(SpaceSettling, IsGivenUpAfterTenSeconds) {
  SpaceSettling settling(WithImageFs(0), kStart);
  for (int i = 1; i < 10; ++i) {
    const auto gained = static_cast<std::uint64_t>(i);
    EXPECT_FALSE(settling.Look(WithImageFs(gained), kStart + seconds(1) * i));
  }
  EXPECT_TRUE(settling.Look(WithImageFs(10), kStart + seconds(10)));
}

}  // namespace
}  // namespace jettison
