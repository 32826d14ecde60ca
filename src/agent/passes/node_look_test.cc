#include "agent/passes/node_test_bed.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

// Without the kernel's notifications: only the clock decides when memory is looked at.
class NodeLookTest : public NodeTestBed {
 protected:
  NodeLookTest() { look_ahead_ = true; }

  // Steps from deadline to deadline for `time`; returns their number.
  int Turn(Duration time) {
    const Instant end = clock_.Now() + time;
    int turns = 0;
    while (true) {
      const auto next = node_->NextDeadline();
      if (!next || *next > end) break;
      Pass(std::max(*next - clock_.Now(), Duration{1}));
      Measure();
      ++turns;
    }
    clock_.Advance(end - clock_.Now());
    return turns;
  }
};

TEST_F(NodeLookTest, SuddenGrowthIsMetBetweenTwoPasses) {
  Start();
  const auto due = node_->NextDeadline();
  ASSERT_TRUE(due);
  EXPECT_LT(*due, clock_.Now() + milliseconds(200)) << "200 MiB above the soft threshold";
  figures_.SetAvailable(99);
  Pass(*due - clock_.Now());
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
}

TEST_F(NodeLookTest, AThresholdOnASignalThatTheNodeDoesNotHaveIsShownAsSuch) {
  thresholds_.push_back(Of(Signal::kNodeFsInodesFree, 1));
  thresholds_.push_back(Of(Signal::kPidAvailable, 1));
  Start();  // the fake's file system counts no inodes, and nobody knows its process ids
  FullPass();
  for (const ThresholdView& view : node_->MakeSnapshot().thresholds) {
    EXPECT_EQ(view.has_no_such, view.threshold.signal == Signal::kNodeFsInodesFree)
        << NameOf(view.threshold.signal);
  }
}

TEST_F(NodeLookTest, WhatIsShownOfMemoryBelongsToTheLastLook) {
  Start();
  const std::uint64_t passes = node_->passes();
  clock_.Advance(milliseconds(2500));
  for (const std::uint64_t available : {300U, 260U}) {
    figures_.SetAvailable(available);
    Pass(seconds(1));
  }
  ASSERT_EQ(node_->passes(), passes) << "these are looks";
  const Snapshot snapshot = node_->MakeSnapshot();
  const ThresholdView& hard = snapshot.thresholds[0];
  ASSERT_EQ(hard.threshold.value, ThresholdValue(Quantity::Of(std::int64_t{100} << 20)));
  ASSERT_TRUE(hard.observation);
  EXPECT_EQ(hard.observation->available, std::int64_t{260} << 20);
  EXPECT_DOUBLE_EQ(hard.shrinking_by, 40.0 * (1 << 20));
  EXPECT_EQ(hard.time_to, seconds(4));
}

TEST_F(NodeLookTest, ALookThatActsForMemoryReadsNothingElseOfTheNode) {
  Start();
  const int reads = figures_.node_reads + figures_.rest_reads;
  figures_.SetAvailable(99);
  clock_.Advance(*node_->NextDeadline() - clock_.Now());
  node_->Advance();
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
  EXPECT_EQ(figures_.node_reads + figures_.rest_reads, reads);
}

TEST_F(NodeLookTest, ALookThatFindsNothingNewIsNoPass) {
  Start();
  const std::uint64_t passes = node_->passes();
  EXPECT_GT(Turn(seconds(5)), 10);
  EXPECT_EQ(node_->passes(), passes);
  EXPECT_GT(figures_.looks, 10);
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(NodeLookTest, ASoftThresholdIsSeenAtOnceAndIsNoReasonForMorePasses) {
  Start();
  const std::uint64_t passes = node_->passes();
  figures_.SetAvailable(150);
  Turn(seconds(1));
  EXPECT_EQ(node_->passes(), passes + 1);
  EXPECT_TRUE(node_->MakeSnapshot().conditions.Has(NodeConditionType::kMemoryPressure));
}

TEST_F(NodeLookTest, TwentyLooksASecondAreTheMostWhileNothingGrows) {
  Start();
  figures_.SetAvailable(201);
  Turn(seconds(2));
  EXPECT_LE(Turn(seconds(1)), 21);
}

TEST_F(NodeLookTest, AThresholdThatStaysCrossedIsActedForInPassesOnly) {
  Start();
  runtime_.IgnoreStop("c");
  runtime_.IgnoreKill("c");
  figures_.SetAvailable(99);
  Turn(seconds(1));
  const std::uint64_t passes = node_->passes();
  const std::uint64_t looks = node_->counters().looks;
  Turn(seconds(5));
  EXPECT_LE(node_->passes(), passes + 51) << "a pause is told ten times a second";
  EXPECT_LE(node_->counters().looks, looks + 251) << "the pace of evictions is, every 20 ms";
}

TEST_F(NodeLookTest, WhereTheKernelTellsNothingIsLookedAtInBetween) {
  Start();
  node_->SetKernelTells(true);
  Turn(seconds(1));
  const int looks = figures_.looks;
  Turn(seconds(5));
  EXPECT_EQ(figures_.looks, looks);
}

// Usage stays where it is while a hog takes the memory of the page cache.
TEST_F(NodeLookTest, MemoryThatAHogTakesFromThePageCacheIsLookedAtThoughTheKernelTells) {
  Start();
  node_->SetKernelTells(true);
  figures_.SetAvailable(400, 400);
  FullPass();
  Turn(milliseconds(500));
  figures_.SetAvailable(99, 99);
  Turn(milliseconds(301));
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
}

TEST_F(NodeLookTest, GrowthThatStopsJustPastALineIsMetThoughTheKernelDidNotTell) {
  Start();
  node_->SetKernelTells(true);
  figures_.SetAvailable(101);
  Crossed();  // the level before the line
  Turn(seconds(1));
  figures_.SetAvailable(99);
  Turn(milliseconds(51));
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
}

TEST_F(NodeLookTest, TightMemoryIsLookedAtWhenTheKernelSaysSo) {
  Start();
  clock_.Advance(milliseconds(2));
  figures_.SetAvailable(99);
  node_->Stalled();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
}

TEST_F(NodeLookTest, SwapThatRunsOutIsMetBetweenTwoPasses) {
  thresholds_ = {Of(Signal::kSwapAvailable, 100)};
  figures_.node.swap = SwapStats{.available_bytes = 300 * kMi, .usage_bytes = 700 * kMi};
  figures_.swap = {{"hog", kMi}, {"idle", 500 * kMi}};
  Start();
  figures_.node.swap->available_bytes = 99 * kMi;
  Turn(milliseconds(501));
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop idle/c 1s"));
  EXPECT_TRUE(node_->MakeSnapshot().conditions.Has(NodeConditionType::kMemoryPressure));
}

// Only a threshold of 40% on pressure, with triggers of the kernel.
class NodeStallTest : public NodeLookTest {
 protected:
  NodeStallTest() {
    thresholds_ = {{.signal = Signal::kMemoryPressureSomeAvg10, .value = LeftOf(4000)}};
    figures_.SetStalls(0);
  }
  void StartTold() {
    Start();
    node_->SetStallsAreTold(true);
    Turn(seconds(11));
    figures_.looks = 0;
  }
};

TEST_F(NodeStallTest, AStallThatIsToldHastensAThresholdOnPressure) {
  StartTold();
  figures_.SetStalls(4100);
  clock_.Advance(milliseconds(10));
  node_->Stalled();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
}

TEST_F(NodeStallTest, WhileTasksWaitTheAverageIsLookedAtAsSoonAsItMayHaveCrossed) {
  StartTold();
  figures_.SetStalls(3900);
  node_->Stalled();
  EXPECT_EQ(figures_.looks, 1);
  figures_.SetStalls(4100);
  Turn(milliseconds(501));
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
}

TEST_F(NodeStallTest, AtRestNothingIsLookedAtWhereTheKernelTells) {
  StartTold();
  Turn(seconds(9));
  EXPECT_EQ(figures_.looks, 0);
  figures_.SetStalls(3900);
  node_->Stalled();
  Turn(seconds(9));
  EXPECT_GE(figures_.looks, 8);
  EXPECT_LE(figures_.looks, 10) << "for four seconds, at most twice a second";
}

TEST_F(NodeStallTest, HoweverOftenTheKernelTellsTwentyLooksASecondAreTheMost) {
  StartTold();
  for (int i = 0; i < 100; ++i) {
    node_->Stalled();
    Turn(milliseconds(10));
  }
  EXPECT_GE(figures_.looks, 19);
  EXPECT_LE(figures_.looks, 21);
}

TEST_F(NodeStallTest, AStallThatIsToldSoonAfterAnotherIsLookedAtLater) {
  StartTold();
  node_->Stalled();
  clock_.Advance(milliseconds(10));
  figures_.SetStalls(4100);
  node_->Stalled();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Turn(milliseconds(40));
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
}

TEST_F(NodeStallTest, WhereTheKernelDoesNotTellTheClockDoes) {
  Start();
  figures_.looks = 0;
  Turn(seconds(9));
  EXPECT_EQ(figures_.looks, 1) << "40% cannot be reached within five seconds";
  figures_.SetStalls(3900);
  Turn(seconds(3));
  figures_.SetStalls(4100);
  Turn(milliseconds(2001));
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
}

TEST_F(NodeStallTest, WhatAPassHasActedForIsLeftToTheNextPass) {
  StartTold();
  pods_.SetWanted({}, clock_.Now());
  Pass(seconds(40));
  Measure();
  figures_.SetStalls(9000);
  clock_.Advance(milliseconds(10));
  node_->Stalled();
  const std::uint64_t passes = node_->passes();
  for (int i = 0; i < 10; ++i) {
    clock_.Advance(milliseconds(500));
    node_->Stalled();
  }
  EXPECT_EQ(node_->passes(), passes) << "there is no pod that could be evicted";
}

}  // namespace
}  // namespace jettison
