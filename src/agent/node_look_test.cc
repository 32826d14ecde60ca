#include "agent/node_test_bed.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

// Without the kernel's notifications: only the clock tells when memory is to be looked at.
class NodeLookTest : public NodeTestBed {
 protected:
  NodeLookTest() { look_ahead_ = true; }

  // Goes from deadline to deadline for `time`; how many there were.
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
  const int looks = figures_.looks;
  Turn(seconds(5));
  EXPECT_EQ(figures_.looks, looks);
}

TEST_F(NodeLookTest, WhereTheKernelTellsNothingIsLookedAtInBetween) {
  Start();
  node_->SetKernelTells(true);
  Turn(seconds(1));
  const int looks = figures_.looks;
  Turn(seconds(5));
  EXPECT_EQ(figures_.looks, looks);
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
  node_->LookAtMemory();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
}

}  // namespace
}  // namespace jettison
