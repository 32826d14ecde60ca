// A node across a restart of the agent, and across another configuration.
#include "agent/passes/node_test_bed.h"
#include "agent/state/agent_state.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
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
  FullPass();
  FullPass();
  EXPECT_TRUE(HasMemoryPressure()) << "21 s after it was last observed";
  FullPass();
  EXPECT_FALSE(HasMemoryPressure());
  EXPECT_THAT(lines_, Contains(HasSubstr("NodeHasSufficientMemory")));
}

TEST_F(NodeSavedTest, TheGracePeriodOfASoftThresholdGoesOn) {
  Start();
  figures_.SetAvailable(150);
  FullPass();
  const Instant since = clock_.Now();
  for (int i = 0; i < 5; ++i) FullPass();
  Restart();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(since + seconds(60) - clock_.Now() - std::chrono::milliseconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(std::chrono::milliseconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), Contains(HasSubstr("stop hog/c")));
}

TEST_F(NodeSavedTest, AfterMinutesWithoutAnAgentTheGracePeriodBeginsAnew) {
  Start();
  figures_.SetAvailable(150);
  FullPass();
  Pass(seconds(5));
  RestartAfter(minutes(1));
  Pass(seconds(1));
  Measure();
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
  MemoryFallsTo(90);
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
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "10 s of its 60 s are over";
  for (int i = 0; i < 4; ++i) FullPass();
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
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
}

TEST_F(NodeSavedTest, NobodyElseGoesWhileAnEvictionOfTheAgentBeforeIsUnderWay) {
  Start();
  runtime_.IgnoreStop("c");
  runtime_.IgnoreKill("c");
  MemoryFallsTo(99);
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
  clock_.Advance(seconds(3));
  figures_.SetAvailable(99);
  Crossed();
  ASSERT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  for (const RuntimeEvent& event : runtime_.TakeEvents()) pods_.Handle(event, clock_.Now());
  pods_.Recall({}, clock_.Now());
  Restart();
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), Not(Contains(HasSubstr("stop idle"))));
  EXPECT_THAT(lines_, Not(Contains(HasSubstr("cleaned up"))));
  pods_.Adopt({}, clock_.Now());
  Pass(seconds(1));
  EXPECT_THAT(lines_, Contains(HasSubstr("pods were cleaned up")));
  FullPass();
  EXPECT_THAT(runtime_.TakeCommands(), Contains("stop idle/c 1s"));
}

TEST_F(NodeSavedTest, ThereIsAPassAtTheStartWhileAnEvictionOfTheAgentBeforeIsAwaited) {
  Start();
  runtime_.IgnoreStop("c");
  runtime_.IgnoreKill("c");
  MemoryFallsTo(99);
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  figures_.SetAvailable(300);
  Restart();
  EXPECT_GT(node_->passes(), 0U) << "nothing to decide, but the node's state can be reported";
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

class NodeReloadTest : public NodeTestBed {
 protected:
  void Reload(std::vector<Threshold> thresholds) {
    node_->SetEviction({.thresholds = std::move(thresholds),
                        .pressure_transition_period = seconds(30),
                        .max_pod_grace_period_seconds = 20});
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

TEST_F(NodeReloadTest, ASoftThresholdThatStaysIsMetSinceItWasFirstMetWhereverItStands) {
  Start();
  figures_.SetAvailable(150);
  FullPass();
  Pass(seconds(40));
  Reload({Of(Signal::kPidAvailable, 1), Of(Signal::kMemoryAvailable, 200, 60)});
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(seconds(20));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 20s", "remove hog"));
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

}  // namespace
}  // namespace jettison
