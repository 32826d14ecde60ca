#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class NodeReclaimTest : public NodeTestBed {};

TEST_F(NodeReclaimTest, NobodyIsEvictedWhileAReclaimIsUnderWay) {
  Start();
  StartLastingReclaim();
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_TRUE(node_->MakeSnapshot().conditions.Has(NodeConditionType::kDiskPressure));
  EXPECT_THAT(lines_, testing::Contains(testing::HasSubstr("reclaim is under way")));
}

TEST_F(NodeReclaimTest, AFullPassFollowsTheEndOfAReclaimAtOnceAndEvictsWherePressureRemains) {
  Start();
  StartLastingReclaim();
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

TEST_F(NodeReclaimTest, NobodyIsEvictedWhereAReclaimThatTookItsTimeWasEnough) {
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

TEST_F(NodeReclaimTest, AHardMemoryThresholdActsWhileAReclaimIsUnderWay) {
  Start();
  StartLastingReclaim();
  clock_.Advance(seconds(2));
  figures_.SetAvailable(99);
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  EXPECT_TRUE(reclaimer_.under_way);
}

TEST_F(NodeReclaimTest, AWakeUpWhileAReclaimIsUnderWayMeasuresNothingInVain) {
  Start();
  StartLastingReclaim();
  const int walks = walks_.started;
  Pass(seconds(2));
  Crossed();
  Pass(milliseconds(1));
  EXPECT_EQ(walks_.started, walks);
}

TEST_F(NodeReclaimTest, TheLayoutThatTheRuntimeToldDecidesWhatIsReclaimed) {
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
