#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class NodeReloadTest : public NodeTestBed {
 protected:
  void Reload(std::vector<Threshold> thresholds, std::int64_t grace_seconds = 20) {
    node_->SetEviction({.thresholds = std::move(thresholds),
                        .pressure_transition_period = seconds(30),
                        .max_pod_grace_period_seconds = grace_seconds});
    node_->Advance();
  }
};

TEST_F(NodeReloadTest, AThresholdThatIsCrossedAlreadyActsAtOnce) {
  Start();
  clock_.Advance(milliseconds(10));
  Reload({Of(Signal::kMemoryAvailable, 450)});
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
}

// The kernel tells nobody that the limit of a group was lowered.
TEST_F(NodeReloadTest, WhoAsksForALookHasOneAlthoughNothingHasChanged) {
  Start();
  figures_.SetAvailable(50);
  clock_.Advance(milliseconds(10));
  node_->Advance();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  node_->LookAtOnce();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
}

TEST_F(NodeReloadTest, ADiskThresholdActsWithTheFullPassThatFollowsAtOnce) {
  Start();
  disk_["hog"].containers = {
      {.name = "c", .rootfs = {}, .logs = {.used_bytes = 600 * kMi, .inodes_used = 3}}};
  clock_.Advance(milliseconds(10));
  const int walks = walks_.started;
  Reload({Of(Signal::kNodeFsAvailable, 1500)});
  EXPECT_EQ(walks_.started, walks + 1);
  clock_.Advance(milliseconds(1));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
}

TEST_F(NodeReloadTest, ASoftThresholdThatStaysIsMetSinceItWasFirstMetWhereverItStands) {
  Start();
  figures_.SetAvailable(150);
  Pass(seconds(10));
  Measure();
  Pass(seconds(40));
  Reload({Of(Signal::kPidAvailable, 1), Of(Signal::kMemoryAvailable, 200, 60)});
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(seconds(20));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 20s", "remove hog"));
}

TEST_F(NodeReloadTest, AShorterGracePeriodIsOverAtOnce) {
  Start();
  figures_.SetAvailable(150);
  Pass(seconds(10));
  Measure();
  Pass(seconds(40));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  clock_.Advance(milliseconds(10));
  Reload({Of(Signal::kMemoryAvailable, 200, 30)}, 5);
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 5s"));
}

TEST_F(NodeReloadTest, AConditionWhoseThresholdWentEndsWithItsTransitionPeriod) {
  Start();
  figures_.SetAvailable(150);
  Pass(seconds(10));
  Measure();
  EXPECT_TRUE(node_->state().conditions.Has(NodeConditionType::kMemoryPressure));
  Reload({});
  EXPECT_TRUE(node_->state().conditions.Has(NodeConditionType::kMemoryPressure));
  Pass(seconds(31));
  Measure();
  EXPECT_FALSE(node_->state().conditions.Has(NodeConditionType::kMemoryPressure));
}

TEST_F(NodeReloadTest, OnlookersSeeTheThresholdsThatHold) {
  Start();
  Reload({Of(Signal::kPidAvailable, 1), Of(Signal::kMemoryAvailable, 450, 60)});
  const Snapshot snapshot = node_->MakeSnapshot();
  ASSERT_EQ(snapshot.thresholds.size(), 2U);
  EXPECT_FALSE(snapshot.thresholds[0].met);
  EXPECT_TRUE(snapshot.thresholds[1].met);
  EXPECT_EQ(snapshot.thresholds[1].since, clock_.Now());
}

TEST_F(NodeReloadTest, ThresholdsOnImageFsWaitForTheLayout) {
  layout_known_ = false;
  Start();
  const std::vector<Threshold> configured = {Of(Signal::kImageFsAvailable, 5000),
                                             Of(Signal::kPidAvailable, 1)};
  Reload(configured);
  EXPECT_FALSE(node_->KnowsLayout());
  ASSERT_EQ(node_->MakeSnapshot().thresholds.size(), 1U);
  EXPECT_EQ(node_->MakeSnapshot().thresholds[0].threshold.signal, Signal::kPidAvailable);
  node_->SetLayout({}, {});
  EXPECT_TRUE(node_->KnowsLayout());
  Reload(configured);
  EXPECT_EQ(node_->MakeSnapshot().thresholds.size(), 2U);
}

TEST_F(NodeReloadTest, LevelsAreRegisteredForTheNewThresholds) {
  Start();
  const auto before = armed_;
  clock_.Advance(seconds(1));
  Reload({Of(Signal::kMemoryAvailable, 300)});
  EXPECT_NE(armed_.size(), before.size());
}

}  // namespace
}  // namespace jettison
