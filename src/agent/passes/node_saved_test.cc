// A node across a restart of the agent.
#include "agent/passes/node_test_bed.h"
#include "agent/state/agent_state.h"

namespace jettison {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class NodeSavedTest : public NodeTestBed {
 protected:
  // A new agent continues with the pods that are there.
  void Restart() { Restart(node_->Saved()); }
  void Restart(const SavedNode& kept) {
    MakeNode();
    node_->Resume(kept);
    lines_.clear();
    node_->Begin();
    Deliver();
    node_->DiskMeasured(disk_);
  }
  // No agent runs for so long.
  void RestartAfter(Duration gap) {
    const std::string text = FormatState({.node = node_->Saved()}, clock_);
    clock_.Advance(gap);
    runtime_.SetNow(clock_.Now());
    const auto state = ParseState(text, clock_);
    ASSERT_TRUE(state) << state.error().message;
    Restart(state->node);
  }
  // Available memory is below the soft threshold for 5 s before and 1 s after the gap.
  void MeetSoftThresholdForSixSecondsAround(Duration gap) {
    figures_.SetAvailable(150);
    FullPass();
    Pass(seconds(5));
    RestartAfter(gap);
    Pass(seconds(1));
    Measure();
  }
  [[nodiscard]] bool HasMemoryPressure() const {
    return node_->state().conditions.Has(NodeConditionType::kMemoryPressure);
  }
};

TEST_F(NodeSavedTest, AConditionHoldsForTheRestOfItsTransitionPeriod) {
  Start();
  figures_.SetAvailable(150);
  FullPass();
  ASSERT_TRUE(HasMemoryPressure());
  const Instant changed = node_->MakeSnapshot().condition_views.at(1).last_transition;
  figures_.SetAvailable(400);
  Pass(seconds(1));
  Restart();
  EXPECT_TRUE(HasMemoryPressure());
  EXPECT_EQ(node_->MakeSnapshot().condition_views.at(1).last_transition, changed);
  EXPECT_THAT(lines_, Not(Contains(HasSubstr("NodeHas")))) << "nothing has changed";
  Pass(seconds(10));
  Measure();
  Pass(seconds(10));
  Measure();
  EXPECT_TRUE(HasMemoryPressure()) << "21 s after it was last observed";
  Pass(seconds(10));
  Measure();
  EXPECT_FALSE(HasMemoryPressure());
  EXPECT_THAT(lines_, Contains(HasSubstr("NodeHasSufficientMemory")));
}

TEST_F(NodeSavedTest, TheGracePeriodOfASoftThresholdGoesOn) {
  Start();
  figures_.SetAvailable(150);
  FullPass();
  const Instant since = clock_.Now();
  for (int i = 0; i < 5; ++i) {
    Pass(seconds(10));
    Measure();
  }
  Restart();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(since + seconds(60) - clock_.Now() - std::chrono::milliseconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(std::chrono::milliseconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), Contains(HasSubstr("stop hog/c")));
}

TEST_F(NodeSavedTest, AfterMinutesWithoutAnAgentTheGracePeriodBeginsAnew) {
  Start();
  MeetSoftThresholdForSixSecondsAround(minutes(1));
  for (int i = 0; i < 5; ++i) FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "51 s of its 60 s are over";
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), Contains(HasSubstr("stop hog/c")));
}

TEST_F(NodeSavedTest, MinimumReclaimGoesOnAfterSecondsWithoutAnAgentButNotAfterMinutes) {
  thresholds_ = {Of(Signal::kMemoryAvailable, 100)};
  thresholds_[0].min_reclaim = Quantity::Of(static_cast<std::int64_t>(500 * kMi));
  const auto is_overdue = [this] { return node_->MakeSnapshot().thresholds.at(0).overdue; };
  figures_.SetAvailable(700);
  Start();
  figures_.SetAvailable(90);
  Pass(seconds(3));
  Crossed();
  ASSERT_THAT(runtime_.TakeCommands(), Contains(HasSubstr("stop hog/c")));
  FullPass();
  figures_.SetAvailable(550);
  RestartAfter(seconds(20));
  EXPECT_TRUE(is_overdue());
  runtime_.TakeCommands();
  RestartAfter(minutes(1));
  EXPECT_FALSE(is_overdue()) << "no line has been crossed since";
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), Not(Contains(HasSubstr("stop"))));
}

TEST_F(NodeSavedTest, ASuspendIsNoPressure) {
  Start();
  figures_.SetAvailable(150);
  FullPass();
  clock_.Advance(std::chrono::hours(8));
  node_->Slept(std::chrono::hours(8));
  Pass(seconds(10));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "10 s of its 60 s are over";
  for (int i = 0; i < 4; ++i) {
    Pass(seconds(10));
    Measure();
  }
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "50 s are over";
  Pass(seconds(10));
  EXPECT_THAT(runtime_.TakeCommands(), Contains(HasSubstr("stop hog/c")));
}

TEST_F(NodeSavedTest, AThresholdOfAnotherConfigurationBeginsAnew) {
  Start();
  figures_.SetAvailable(150);
  FullPass();
  Pass(seconds(50));
  Measure();
  thresholds_[1] = Of(Signal::kMemoryAvailable, 201, 60);
  Restart();
  Pass(seconds(10));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
}

TEST_F(NodeSavedTest, NobodyElseGoesWhileAnEvictionOfTheAgentBeforeIsUnderWay) {
  Start();
  runtime_.IgnoreStop("c");
  runtime_.IgnoreKill("c");
  figures_.SetAvailable(99);
  Pass(seconds(3));
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  Pass(seconds(1));
  runtime_.TakeCommands();
  Restart();
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), Not(Contains(HasSubstr("idle"))));
  Pass(seconds(29));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s")) << "30 s after the first";
}

// The remains of a pod are removed through the runtime, so they are still there.
TEST_F(NodeSavedTest, AnEvictedPodIsAwaitedUntilTheRuntimeSaysThatItIsGone) {
  Start();
  figures_.SetAvailable(99);
  clock_.Advance(seconds(3));
  Crossed();
  ASSERT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  for (const RuntimeEvent& event : runtime_.TakeEvents()) pods_.Handle(event, clock_.Now());
  pods_.Recall({}, clock_.Now());
  Restart();
  Pass(seconds(10));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), Not(Contains(HasSubstr("stop idle"))));
  EXPECT_THAT(lines_, Not(Contains(HasSubstr("cleaned up"))));
  pods_.Adopt({}, clock_.Now());
  Pass(seconds(1));
  EXPECT_THAT(lines_, Contains(HasSubstr("pods were cleaned up")));
  Pass(seconds(10));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s"));
}

TEST_F(NodeSavedTest, ThereIsAPassAtTheStartWhileAnEvictionOfTheAgentBeforeIsAwaited) {
  Start();
  runtime_.IgnoreStop("c");
  runtime_.IgnoreKill("c");
  figures_.SetAvailable(99);
  Pass(seconds(3));
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  figures_.SetAvailable(300);
  Restart();
  EXPECT_GT(node_->passes(), 0U) << "nothing to decide, but the node's state can be reported";
}

TEST_F(NodeSavedTest, MemoryIsWatchedWhereTheAwaitedEvictionPutsOffTheFirstPass) {
  Start();
  runtime_.IgnoreStop("c");
  runtime_.IgnoreKill("c");
  figures_.SetAvailable(150);
  FullPass();
  for (int i = 0; i < 6; ++i) {
    Pass(seconds(10));
    Measure();
  }
  ASSERT_THAT(runtime_.TakeCommands(), Contains(HasSubstr("stop hog/c"))) << "a soft eviction";
  armed_.clear();
  Restart();
  EXPECT_THAT(armed_, Not(IsEmpty()));
  EXPECT_THAT(runtime_.TakeCommands(), Not(Contains(HasSubstr("idle"))));
}

TEST_F(NodeSavedTest, AHealthyNodeKeepsNothing) {
  Start();
  const auto before = node_->changes();
  FullPass();
  FullPass();
  EXPECT_EQ(node_->Saved(), SavedNode{});
  EXPECT_EQ(node_->changes(), before);
  figures_.SetAvailable(150);
  FullPass();
  EXPECT_NE(node_->changes(), before);
  EXPECT_NE(node_->Saved(), SavedNode{});
}

}  // namespace
}  // namespace jettison
