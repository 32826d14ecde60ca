#include "agent/reclaim/runtime_reclaimer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/reclaim/image_test_bed.h"

namespace jettison {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class RuntimeReclaimerTest : public testing::Test {
 protected:
  RuntimeReclaimerTest() {
    bed_.Add("a");
    Pass(seconds(1));
    bed_.store.TakeCommands();
  }
  void Pass(Duration time) { bed_.Pass(reclaimer_, time); }

  ImageTestBed bed_;
  std::size_t dead_ = 0;
  int asked_ = 0;
  ImageCollector collector_{{}, bed_.Edges()};
  RuntimeReclaimer reclaimer_{{.clock = bed_.clock,
                               .figures = bed_.disk,
                               .images = collector_,
                               .delete_dead_containers = [this] {
                                 ++asked_;
                                 return std::exchange(dead_, 0);
                               }}};
};

TEST_F(RuntimeReclaimerTest, WithoutDeadContainersThatIsDoneAtOnce) {
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kDone);
  EXPECT_FALSE(reclaimer_.UnderWay());
}

TEST_F(RuntimeReclaimerTest, DeadContainersAreUnderWayUntilTheirSpaceIsFree) {
  dead_ = 2;
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  EXPECT_EQ(asked_, 1);
  Pass(seconds(2));
  EXPECT_FALSE(reclaimer_.UnderWay());
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kDone);
  EXPECT_EQ(asked_, 1) << "a finished reclaim is reported, not repeated";
}

TEST_F(RuntimeReclaimerTest, WhatDeadContainersGiveBackIsMeasured) {
  dead_ = 1;
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  bed_.disk.available_mi += 30;
  Pass(seconds(2));
  EXPECT_EQ(reclaimer_.ContainerBytes(), 30 * kTestMi);
}

TEST_F(RuntimeReclaimerTest, ImagesComeAfterTheContainersThatUsedThem) {
  dead_ = 1;
  EXPECT_EQ(reclaimer_.DeleteDeadContainers(), ReclaimProgress::kUnderWay);
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kUnderWay);
  EXPECT_THAT(bed_.store.TakeCommands(), testing::IsEmpty());
  Pass(seconds(5));
  EXPECT_THAT(bed_.store.TakeCommands(), ElementsAre("list", "remove a"));
  EXPECT_FALSE(reclaimer_.UnderWay());
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kDone);
}

TEST_F(RuntimeReclaimerTest, ForgottenItIsDoneAnew) {
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kUnderWay);
  Pass(seconds(5));
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kDone);
  reclaimer_.Forget();
  bed_.store.TakeCommands();
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kUnderWay);
  EXPECT_THAT(bed_.store.TakeCommands(), ElementsAre("list"));
}

TEST_F(RuntimeReclaimerTest, AFailureIsToldWhenItIsOver) {
  bed_.store.FailRemove("a", {ErrorCode::kInternal, "busy"});
  EXPECT_EQ(reclaimer_.DeleteUnusedImages(), ReclaimProgress::kUnderWay);
  Pass(seconds(5));
  const auto answer = reclaimer_.DeleteUnusedImages();
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("busy"));
}

TEST_F(RuntimeReclaimerTest, AfterAMinuteWhoeverWaitsGoesOnWithoutIt) {
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

TEST_F(RuntimeReclaimerTest, DrivesThePeriodicCollection) {
  bed_.disk.available_mi = 100;
  Pass(minutes(6));
  EXPECT_THAT(bed_.store.TakeCommands(), Contains("remove a"));
  EXPECT_FALSE(reclaimer_.UnderWay()) << "no reclaim was requested";
}

}  // namespace
}  // namespace jettison
