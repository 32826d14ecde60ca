// A table of pods across a restart of the agent.
#include <fmt/format.h>

#include "agent/pods/pod_table_test_bed.h"

namespace jettison {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class PodTableSavedTest : public PodTableTest {
 protected:
  PodTableSavedTest() { runtime_.SetNow(now_); }
  // A new agent starts now, and finds these pods on the node.
  void Restart(std::vector<RuntimePod> found = {}) {
    Forget();
    runtime_.SetExisting(found);
    table_.Adopt(std::move(found), now_);
  }
  // The same, but the runtime does not answer yet.
  void RestartUnanswered(std::vector<RuntimePod> known = {}) {
    Forget();
    runtime_.SetExisting(known);
    table_.Recall(std::move(known), now_);
  }
  void Forget() {
    std::vector<SavedPod> kept = table_.Saved(now_);
    present_.emplace(Profile::kStandalone, kComeBackRule, dependencies_);
    (void)runtime_.TakeEvents();
    runtime_.TakeCommands();
    table_.Remember(std::move(kept));
  }
};

TEST_F(PodTableSavedTest, AnEvictedPodStaysOutForTheRestOfItsBackOff) {
  Want({PodNamed("a")});
  Evict("a");
  Pass(seconds(1));
  const auto due = View("a").comes_back_at;
  ASSERT_TRUE(due);
  Pass(seconds(4));
  Restart();
  Want({PodNamed("a")});
  EXPECT_EQ(View("a").comes_back_at, due);
  EXPECT_EQ(View("a").evictions, 1);
  EXPECT_EQ(View("a").status.phase, PodPhase::kFailed);
  EXPECT_EQ(View("a").status.reason, "Evicted");
  EXPECT_EQ(View("a").status.message, "low on memory");
  EXPECT_EQ(table_.NextDeadline(), due);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(*due - now_);
  EXPECT_THAT(runtime_.TakeCommands(), Contains("create uid-a"));
}

// The container runtime may answer only after the agent has begun.
TEST_F(PodTableSavedTest, AnEvictionThatIsUnderWayGoesOnAndStartsNothing) {
  for (const std::string name : {"answers", "answers-late"}) {
    const std::string uid = "uid-" + name;
    Want({PodNamed(name)});
    runtime_.IgnoreStop("c");
    EXPECT_EQ(table_.Evict(OrderFor(name, 30), now_), EvictOutcome::kEnding);
    Pass(seconds(10));
    if (name == "answers") {
      Restart({Running(name)});
      EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop " + uid + "/c 20s"));
    } else {
      RestartUnanswered({Running(name)});
      EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop " + uid + "/c 20s"));
      table_.Adopt({Running(name)}, now_);
    }
    Want({PodNamed(name)});
    EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
    EXPECT_EQ(View(name).status.reason, "Evicted");
    EXPECT_EQ(View(name).evictions, 1);
    Pass(seconds(20));
    EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("kill " + uid + "/c", "remove " + uid));
    EXPECT_TRUE(View(name).comes_back_at) << "it waits like every evicted pod";
  }
}

TEST_F(PodTableSavedTest, AContainerOfAnEvictedPodThatEndedMeanwhileIsNotStartedAgain) {
  Want({PodNamed("a")});
  runtime_.IgnoreStop("c");
  EXPECT_EQ(table_.Evict(OrderFor("a", 30), now_), EvictOutcome::kEnding);
  RuntimePod dead = Running("a");
  dead.containers[0].exit = ContainerExit{.exit_code = 1, .started = now_, .finished = now_};
  Restart({dead});
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("remove uid-a"));
}

TEST_F(PodTableSavedTest, AnEvictedPodThatWentMeanwhileWaitsFromNowOn) {
  Want({PodNamed("a")});
  runtime_.IgnoreStop("c");
  EXPECT_EQ(table_.Evict(OrderFor("a", 30), now_), EvictOutcome::kEnding);
  Restart();
  Want({PodNamed("a")});
  EXPECT_EQ(View("a").comes_back_at, now_ + seconds(10));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
}

TEST_F(PodTableSavedTest, WhoHasNotBeenAskedForYetIsKeptOverAnotherRestart) {
  Want({PodNamed("a")});
  runtime_.IgnoreStop("c");
  EXPECT_EQ(table_.Evict(OrderFor("a", 30), now_), EvictOutcome::kEnding);
  RestartUnanswered();
  Restart();
  Restart();
  Want({PodNamed("a")});
  EXPECT_TRUE(View("a").comes_back_at);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
}

// Under disk pressure all runs of a finished pod are removed.
TEST_F(PodTableSavedTest, AFinishedPodStaysFinishedWhenItsRunsHaveBeenRemoved) {
  const std::pair<RestartPolicy, int> cases[] = {
      {RestartPolicy::kOnFailure, 0}, {RestartPolicy::kNever, 0}, {RestartPolicy::kNever, 3}};
  for (const auto& [policy, exit_code] : cases) {
    Pod pod = PodNamed(fmt::format("{}-{}", static_cast<int>(policy), exit_code));
    pod.restart_policy = policy;
    Want({pod});
    runtime_.Exit(pod.uid, "c", exit_code);
    Deliver();
    ASSERT_EQ(View(pod.name).activity, PodActivity::kFinished);
    for (int restarts = 0; restarts < 2; ++restarts) {
      Restart({{.pod = pod, .containers = {}}});
      Want({pod});
      Pass(minutes(20));
      EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
      EXPECT_EQ(View(pod.name).status.phase,
                exit_code == 0 ? PodPhase::kSucceeded : PodPhase::kFailed);
    }
  }
}

// For example, its record cannot be read for a moment.
TEST_F(PodTableSavedTest, AFinishedPodThatIsFoundLateStaysFinished) {
  Pod pod = PodNamed("a");
  pod.restart_policy = RestartPolicy::kOnFailure;
  Want({pod});
  runtime_.Exit("uid-a", "c", 0);
  Deliver();
  Restart();
  table_.SetWanted(WantedPods({pod}), now_);
  (void)runtime_.TakeEvents();
  runtime_.TakeCommands();
  table_.Handle(PodFound{.pod_uid = "uid-a", .pod = {.pod = pod, .containers = {}}}, now_);
  EXPECT_EQ(View("a").status.phase, PodPhase::kSucceeded);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
}

TEST_F(PodTableSavedTest, AnotherPodOfTheSameNameOwesNothing) {
  Want({PodNamed("a")});
  Evict("a");
  Pass(seconds(1));
  Restart();
  Pod other = PodNamed("a");
  other.uid = "uid-other";
  Want({other});
  EXPECT_THAT(runtime_.TakeCommands(), Contains("create uid-other"));
}

TEST_F(PodTableSavedTest, AManifestThatComesLaterFindsItsPodRemembered) {
  Want({PodNamed("a")});
  Evict("a");
  Pass(seconds(1));
  Restart();
  Want({});
  EXPECT_THAT(table_.Saved(now_), SizeIs(1)) << "over another restart, too";
  Restart();
  Want({PodNamed("a")});
  EXPECT_TRUE(View("a").comes_back_at);
  Restart();
  Want({});
  now_ += minutes(20);
  EXPECT_THAT(table_.Saved(now_), IsEmpty()) << "not for ever";
}

TEST_F(PodTableSavedTest, WhatAFileClaimsLengthensNothingBeyondTheRule) {
  table_.Remember({{.name = "default/a",
                    .uid = "uid-a",
                    .evictions = 1,
                    .next_delay = std::chrono::hours(1000),
                    .absence = SavedAbsence{.reason = "Evicted",
                                            .message = "",
                                            .comes_back_at = now_ + std::chrono::hours(1000)}}});
  Want({PodNamed("a")});
  EXPECT_EQ(View("a").comes_back_at, now_ + kComeBackRule.max);
}

TEST_F(PodTableTest, ASuspendCountsForBackOffsAndNotForGracePeriods) {
  Want({PodNamed("a"), PodNamed("b")});
  Evict("a");
  Pass(seconds(1));
  runtime_.IgnoreStop("c");
  EXPECT_EQ(table_.Evict(OrderFor("b", 30), now_), EvictOutcome::kEnding);
  runtime_.TakeCommands();
  table_.PutOffEnds(std::chrono::hours(8));
  Pass(std::chrono::hours(8));
  EXPECT_THAT(runtime_.TakeCommands(),
              AllOf(Contains("create uid-a"), Not(Contains("kill uid-b/c"))));
  Pass(seconds(30));
  EXPECT_THAT(runtime_.TakeCommands(), Contains("kill uid-b/c"));
}

}  // namespace
}  // namespace jettison
