#include "agent/reclaim/reclaimer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/reclaim/testing/image_test_bed.h"

namespace jettison {
namespace {

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

TEST_F(ReclaimerTest, WithoutDeadContainersThatIsDoneAtOnce) {
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kDone);
  EXPECT_FALSE(reclaimer_.UnderWay());
}

TEST_F(ReclaimerTest, DeadContainersAreUnderWayUntilTheirSpaceIsFree) {
  dead_ = 2;
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  EXPECT_EQ(asked_, 1);
  Pass(seconds(2));
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

TEST_F(ReclaimerTest, WhatDeadContainersGiveBackIsMeasured) {
  dead_ = 1;
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  bed_.disk.available_mi += 30;
  Pass(seconds(2));
  EXPECT_EQ(reclaimer_.ContainerBytes(), 30 * kTestMi);
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

TEST_F(ReclaimerTest, AFailureIsToldWhenItIsOver) {
  bed_.store.FailRemove("a", {ErrorCode::kInternal, "busy"});
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kUnderWay);
  Pass(seconds(5));
  const auto answer = reclaimer_.DeleteUnusedImages();
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("busy"));
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

}  // namespace
}  // namespace jettison
