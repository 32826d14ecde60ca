#include "agent/passes/node_test_bed.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

// The clock decides when memory is looked at, whether or not the kernel notifies.
class NodeLookTest : public NodeTestBed {};

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

TEST_F(NodeLookTest, WhatIsShownOfMemoryBelongsToTheLastLookAndItsTrendToTheLastSeconds) {
  Start();
  const std::uint64_t passes = node_->passes();
  for (std::uint64_t available = 340; available >= 260; available -= 20) {
    figures_.SetAvailable(available);
    Turn(milliseconds(500));
  }
  ASSERT_EQ(node_->passes(), passes) << "these are looks";
  const Snapshot snapshot = node_->MakeSnapshot();
  const ThresholdView& hard = snapshot.thresholds[0];
  ASSERT_EQ(hard.threshold.value, ThresholdValue(Quantity::Of(std::int64_t{100} << 20)));
  ASSERT_TRUE(hard.observation);
  EXPECT_EQ(hard.observation->available, std::int64_t{260} << 20);
  ASSERT_TRUE(hard.trend && hard.time_to);
  EXPECT_NEAR(*hard.trend / (1 << 20), -40, 4);
  EXPECT_NEAR(SecondsOf(*hard.time_to), 4, 0.4);
  figures_.SetAvailable(99);
  Turn(milliseconds(500));
  ASSERT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
  EXPECT_FALSE(node_->MakeSnapshot().thresholds[0].trend) << "an eviction begins it anew";
}

TEST_F(NodeLookTest, ALookThatFindsNothingNewIsNoPass) {
  Start();
  const std::uint64_t passes = node_->passes();
  EXPECT_GT(Turn(seconds(5)), 10);
  EXPECT_EQ(node_->passes(), passes);
  EXPECT_GT(figures_.looks, 10);
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(NodeLookTest, TwoHundredLooksASecondAreTheMost) {
  Start();
  figures_.SetAvailable(201);
  Turn(seconds(2));
  EXPECT_LE(Turn(seconds(1)), 201);
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
  EXPECT_LE(node_->counters().looks, looks + 261) << "the pace of evictions is, every 20 ms";
}

TEST_F(NodeLookTest, WhereNobodyCanGoThatIsSaidOnceUntilThereWasEnoughAgain) {
  Start();
  pods_.SetWanted({}, clock_.Now());
  Pass(seconds(40));
  Measure();
  const auto passes_while = [this](std::uint64_t available) {
    const std::uint64_t before = node_->passes();
    figures_.SetAvailable(available);
    Turn(seconds(1));
    return node_->passes() - before;
  };
  EXPECT_EQ(passes_while(99), 1U);
  EXPECT_EQ(passes_while(99), 0U);
  EXPECT_EQ(passes_while(400), 0U);
  EXPECT_EQ(passes_while(99), 1U);
}

// Pages of the page cache become active at several GiB/s: what is available shrinks, usage stays,
// and the kernel has nothing to report.
// With notifications or without, from how many MiB above the threshold, and within how long.
using CacheFalls = std::tuple<bool, std::pair<std::uint64_t, milliseconds>>;

class NodeMovingCacheTest : public NodeLookTest, public testing::WithParamInterface<CacheFalls> {
 protected:
  // `mi` are left, of a node of 16 GiB of which everything is used.
  void SetLeft(std::uint64_t mi) {
    constexpr std::uint64_t kCapacity = 16 * 1024 * kMi;
    figures_.node.memory = MemoryStats{.time = std::nullopt,
                                       .available_bytes = mi * kMi,
                                       .usage_bytes = kCapacity - 16 * kMi,
                                       .working_set_bytes = kCapacity - mi * kMi};
  }
};

TEST_P(NodeMovingCacheTest, ItIsSeenBeforeSixteenGibibytesASecondWouldReachTheThreshold) {
  const auto& [notified, fall] = GetParam();
  notified_ = notified;
  thresholds_ = {Of(Signal::kMemoryAvailable, 100)};
  Start();
  SetLeft(100 + fall.first);
  FullPass();
  Turn(milliseconds(1));
  SetLeft(99);
  Turn(fall.second);
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
}

INSTANTIATE_TEST_SUITE_P(
    Falls, NodeMovingCacheTest,
    testing::Combine(testing::Bool(), testing::Values(std::pair{1, milliseconds(10)},
                                                      std::pair{1638, milliseconds(100)},
                                                      std::pair{12 * 1024, milliseconds(500)})));

TEST_F(NodeLookTest, TightMemoryIsLookedAtWhenTheKernelSaysSo) {
  Start();
  clock_.Advance(milliseconds(2));
  figures_.SetAvailable(99);
  node_->Look(Node::Wakeup::kStall);
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
  void StartQuiet() {
    Start();
    Turn(seconds(11));
    figures_.looks = 0;
  }
};

TEST_F(NodeStallTest, WhereTheKernelSaysNothingTheClockDoes) {
  Start();
  Turn(seconds(3));
  figures_.SetStalls(4100);
  Turn(milliseconds(501));
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
}

TEST_F(NodeStallTest, AStallThatIsToldSoonAfterAnotherIsLookedAtLater) {
  StartQuiet();
  node_->Look(Node::Wakeup::kStall);
  clock_.Advance(milliseconds(10));
  figures_.SetStalls(4100);
  node_->Look(Node::Wakeup::kStall);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Turn(milliseconds(40));
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop hog/c 1s"));
}

}  // namespace
}  // namespace jettison
