#include "agent/passes/node.h"

#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class NodeTest : public NodeTestBed {};

TEST_F(NodeTest, PassesEveryIntervalAfterMeasuringDiskUseAndSaysNothingWhenNothingHappens) {
  Start();
  EXPECT_EQ(node_->passes(), 2U) << "a first look, then a full pass";
  Pass(seconds(10) - milliseconds(1));
  EXPECT_EQ(walks_.started, 0);
  Pass(milliseconds(1));
  EXPECT_EQ(walks_.started, 1);
  EXPECT_EQ(node_->passes(), 2U) << "the walk is still under way";
  clock_.Advance(seconds(3));
  Measure();
  EXPECT_EQ(node_->passes(), 3U);
  Pass(seconds(10));
  EXPECT_EQ(walks_.started, 2);
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(NodeTest, RemainsAreCollectedOnceItIsKnownWhoIsWantedAndThenEveryMinute) {
  Start();
  EXPECT_EQ(collections_, 0) << "the first pass does not know the wanted pods";
  FullPass();
  EXPECT_EQ(collections_, 1);
  for (int pass = 0; pass < 5; ++pass) FullPass();
  EXPECT_EQ(collections_, 1);
  FullPass();
  EXPECT_EQ(collections_, 2);
  for (int pass = 0; pass < 6; ++pass) FullPass();
  EXPECT_EQ(collections_, 3);
}

TEST_F(NodeTest, AWakeUpEvictsTheLargestPodAtOnceWhichIsToldWholeAlthoughNobodyLooksOn) {
  Start();
  clock_.Advance(seconds(3));
  figures_.SetAvailable(99);
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  EXPECT_TRUE(node_->MakeSnapshot().waiting_for_cleanup);
  EXPECT_THAT(lines_[1], testing::HasSubstr("must evict pod(s) to reclaim"));
  ASSERT_THAT(evictions_, SizeIs(1));
  EXPECT_THAT(evictions_[0]->report.evictions, SizeIs(1));
  EXPECT_THAT(evictions_[0]->pods, SizeIs(2));
  EXPECT_THAT(evictions_[0]->summary.pods, SizeIs(2));
}

TEST_F(NodeTest, LevelsAreRegisteredAgainWhenTheyMoved) {
  Start();
  ASSERT_EQ(armed_.size(), 1U);
  EXPECT_THAT(armed_[0], ElementsAre(MemoryLevel{0, Signal::kMemoryAvailable, 400 * kMi},
                                     MemoryLevel{1, Signal::kMemoryAvailable, 300 * kMi}));
  FullPass();
  EXPECT_EQ(armed_.size(), 1U);
  figures_.SetAvailable(400, 20);
  FullPass();
  ASSERT_EQ(armed_.size(), 2U);
  EXPECT_EQ(armed_[1][0].bytes, 420 * kMi);
  figures_.SetAvailable(400, 30);
  clock_.Advance(milliseconds(10));
  Crossed();
  EXPECT_EQ(armed_.size(), 2U) << "not that soon";
  clock_.Advance(milliseconds(90));
  Crossed();
  EXPECT_EQ(armed_.size(), 3U) << "by the next pass";
}

TEST_F(NodeTest, ASnapshotShowsThresholdsConditionsPodsAndEvents) {
  Start();
  FullPass();
  clock_.Advance(seconds(3));
  figures_.SetAvailable(99);
  Crossed();
  Deliver();
  const Snapshot snapshot = node_->MakeSnapshot();
  EXPECT_TRUE(snapshot.conditions.Has(NodeConditionType::kMemoryPressure));
  ASSERT_EQ(snapshot.thresholds.size(), 3U);
  EXPECT_TRUE(snapshot.thresholds[0].met);
  EXPECT_EQ(snapshot.thresholds[0].observation->available, static_cast<std::int64_t>(99 * kMi));
  ASSERT_EQ(snapshot.pods.size(), 2U);
  EXPECT_EQ(snapshot.pods[0].status.reason, "Evicted");
  EXPECT_EQ(snapshot.pods[0].evictions, 1);
  EXPECT_EQ(snapshot.pods[1].memory_working_set_bytes, kMi);
  std::vector<std::string> reasons;
  for (const LoggedEvent& event : snapshot.events) reasons.push_back(event.event.reason);
  EXPECT_THAT(reasons, ElementsAre("Started", "Started", "EvictionThresholdMet", "Evicted",
                                   "NodeHasInsufficientMemory"));
}

TEST_F(NodeTest, AFullPassFollowsTheEndOfAReclaimAtOnceAndEvictsWherePressureRemains) {
  Start();
  StartLastingReclaim();
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "nobody is evicted while it is under way";
  EXPECT_TRUE(node_->MakeSnapshot().conditions.Has(NodeConditionType::kDiskPressure));
  const int walks = walks_.started;
  Pass(seconds(2));
  EXPECT_EQ(walks_.started, walks);
  reclaimer_.End();
  Pass(milliseconds(1));
  ASSERT_EQ(walks_.started, walks + 1);
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
  EXPECT_FALSE(reclaimer_.over) << "the next request begins again";
}

TEST_F(NodeTest, NobodyIsEvictedWhereAReclaimThatTookItsTimeWasEnough) {
  Start();
  StartLastingReclaim();
  reclaimer_.End();
  figures_.node.fs->available_bytes = 500 * kMi;
  Pass(milliseconds(1));
  Measure();
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_FALSE(reclaimer_.over);
}

TEST_F(NodeTest, AHardMemoryThresholdActsWhileAReclaimIsUnderWay) {
  Start();
  StartLastingReclaim();
  clock_.Advance(seconds(2));
  figures_.SetAvailable(99);
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  EXPECT_TRUE(reclaimer_.under_way);
}

TEST_F(NodeTest, TheLayoutThatTheRuntimeToldDecidesWhatIsReclaimed) {
  Start(/*dry_run=*/false, DiskLayout{.dedicated_image_fs = true});
  EXPECT_EQ(node_->MakeSnapshot().thresholds.size(), 2U);
  figures_.node.fs->available_bytes = 49 * kMi;
  disk_["hog"].total = {.used_bytes = 30 * kMi, .inodes_used = 3};
  Pass(seconds(10));
  clock_.Advance(milliseconds(1));
  Measure();
  EXPECT_THAT(reclaimer_.asked, IsEmpty()) << "images and dead containers lie elsewhere";
  EXPECT_THAT(runtime_.TakeCommands(), testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace jettison
