#include "agent/pods/pod_table.h"

#include "agent/pods/pod_table_test_bed.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(PodTableTest, AChangedPodStartsWhenNothingOfTheOldOneIsLeft) {
  Want({PodNamed("a")});
  runtime_.TakeCommands();
  runtime_.IgnoreStop("c");
  Pod changed = PodNamed("a");
  changed.uid = "new";
  Want({changed});
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop uid-a/c 30s"));
  Pass(seconds(30));
  EXPECT_THAT(runtime_.TakeCommands(),
              ElementsAre("kill uid-a/c", "remove uid-a", "create new", "start new/c#0 oom=1000"));
  Want({changed});
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  changed.containers[0].args = {"the UID stays"};
  Want({changed});
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop new/c 30s"));
}

TEST_F(PodTableTest, AdoptedPodsAreKeptWhenWantedAndEndedWhenNot) {
  runtime_.SetExisting({Running("keep"), Running("drop")});
  table_.Adopt(runtime_.List().value(), now_);
  EXPECT_THAT(Active(), ElementsAre("drop", "keep"));
  Want({PodNamed("keep"), PodNamed("new")});
  EXPECT_THAT(runtime_.TakeCommands(),
              ElementsAre("stop uid-drop/c 30s", "create uid-new", "remove uid-drop",
                          "start uid-new/c#0 oom=1000"));
}

TEST_F(PodTableTest, ARecalledPodIsTheSameOneWhenTheRuntimeTellsOfIt) {
  const RuntimePod pod = Running("a");
  table_.Recall({pod}, now_);
  EXPECT_THAT(Active(), ElementsAre("a"));
  PassDone();
  table_.Adopt({pod}, now_);
  EXPECT_THAT(Active(), ElementsAre("a"));
  Want({PodNamed("a")});
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "neither lost nor started twice";
}

TEST_F(PodTableTest, AnEarlierPodThatIsOnlyObservedIsOneOfItsOwnOnceItIsTakenOver) {
  RuntimePod pod = Running("a", true);
  table_.SetAdoptPolicy(AdoptPolicy::kNone);
  table_.Adopt({pod}, now_);
  Want({});
  EXPECT_THAT(Active(), testing::SizeIs(1)) << "no running pod is ended because it cannot be read";
  pod.foreign = pod.spared = false;
  table_.Handle(PodFound{.pod_uid = "uid-a", .pod = pod}, now_);
  EXPECT_THAT(Active(), ElementsAre("a"));
  Want({PodNamed("a")});
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "neither ended nor started twice";
}

TEST_F(PodTableTest, APodThatWaitsForTheOneInItsPlaceIsWhatIsFoundThen) {
  RuntimePod pod = Running("a", true);
  table_.Adopt({pod}, now_);
  runtime_.FailCreate("uid-a", {ErrorCode::kUnavailable, "in its place"}, true);
  Want({PodNamed("a")});
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("create uid-a"));
  EXPECT_THAT(Active(), IsEmpty()) << "an eviction would free nothing";
  pod.foreign = pod.spared = false;
  table_.Handle(PodFound{.pod_uid = "uid-a", .pod = pod}, now_);
  Want({PodNamed("a")});
  Pass(std::chrono::minutes(10));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_THAT(Active(), ElementsAre("a"));
}

TEST_F(PodTableTest, TheEvictionOfOneThatIsTakenOverLateGoesOn) {
  table_.Remember(
      {{.name = "default/a",
        .uid = "uid-a",
        .evictions = 1,
        .ending = SavedEnding{.reason = "Evicted", .message = "", .kill_at = now_ + seconds(20)}}});
  RuntimePod pod = Running("a", true);
  table_.Adopt({pod}, now_);
  runtime_.FailCreate("uid-a", {ErrorCode::kUnavailable, "in its place"}, true);
  Want({PodNamed("a")});
  runtime_.TakeCommands();
  pod.foreign = pod.spared = false;
  table_.Handle(PodFound{.pod_uid = "uid-a", .pod = pod}, now_);
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop uid-a/c 20s"));
}

TEST_F(PodTableTest, OneThatRunsAgainByNowIsNotEndedByAnOldRecord) {
  table_.Remember({{.name = "default/a",
                    .uid = "uid-a",
                    .evictions = 1,
                    .absence = SavedAbsence{
                        .reason = "Evicted", .message = "", .comes_back_at = now_ - seconds(1)}}});
  const RuntimePod pod = Running("a");
  table_.Handle(PodFound{.pod_uid = "uid-a", .pod = pod}, now_);
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_THAT(Active(), ElementsAre("a"));
}

TEST_F(PodTableTest, ARefusedPodIsFailedAndAskedAgainAfterEachPass) {
  PassDone(Pressure(NodeConditionType::kMemoryPressure));
  Want({PodNamed("a")});
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  const PodView view = View("a");
  EXPECT_EQ(view.status.phase, PodPhase::kFailed);
  EXPECT_EQ(view.status.reason, "Evicted");
  EXPECT_EQ(view.status.message, "The node had condition: [MemoryPressure]. ");
  EXPECT_EQ(view.refused_for, "MemoryPressure");
  EXPECT_EQ(events_.events().back().refused_for, "MemoryPressure")
      << "its reason is that of an eviction";
  PassDone(Pressure(NodeConditionType::kMemoryPressure));
  EXPECT_EQ(events_.count(), 1U);
  PassDone();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("create uid-a", "start uid-a/c#0 oom=1000"));
  EXPECT_EQ(View("a").refused_for, "");
}

TEST_F(PodTableTest, AnEvictedPodComesBackAfterABackoffThatDoubles) {
  Want({PodNamed("a")});
  for (const int delay : {10, 20, 40, 80, 160, 300, 300}) {
    PassDone();
    Evict("a");
    EXPECT_FALSE(table_.IsOnNode("uid-a"));
    EXPECT_EQ(View("a").status.reason, "Evicted");
    EXPECT_EQ(View("a").activity, PodActivity::kWaiting);
    EXPECT_EQ(table_.NextDeadline(), now_ + seconds(delay));
    runtime_.TakeCommands();
    PassDone();
    Pass(seconds(delay) - std::chrono::nanoseconds(1));
    EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
    Pass(std::chrono::nanoseconds(1));
    EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("create uid-a", "start uid-a/c#0 oom=1000"));
  }
  EXPECT_EQ(View("a").evictions, 7);
}

TEST_F(PodTableTest, OomKillsOfAPodAreCountedAndOtherEndsAreNot) {
  Want({PodNamed("a")});
  PassDone();
  runtime_.Exit("uid-a", "c", 1);
  Deliver();
  EXPECT_EQ(View("a").oom_kills, 0);
  Pass(seconds(20));
  runtime_.Exit("uid-a", "c", 137, /*oom_killed=*/true);
  Deliver();
  EXPECT_EQ(View("a").oom_kills, 1);
}

TEST_F(PodTableTest, AnEvictedPodComesBackOnlyWhenAdmissionAllowsIt) {
  Want({PodNamed("a")});
  PassDone(Pressure(NodeConditionType::kDiskPressure));
  Evict("a");
  EXPECT_EQ(table_.NextDeadline(), std::nullopt);
  Pass(seconds(100));
  EXPECT_FALSE(table_.IsOnNode("uid-a"));
  PassDone();
  EXPECT_TRUE(table_.IsOnNode("uid-a"));
}

TEST_F(PodTableTest, LowerPriorityGivesWayAndOnePodComesBackBetweenTwoPasses) {
  Want({PodNamed("low"), PodNamed("high", 10), PodNamed("high2", 10)});
  PassDone();
  Evict("low");
  Pass(seconds(5));
  Evict("high");
  Evict("high2");
  Pass(seconds(5));
  EXPECT_THAT(Active(), IsEmpty()) << "low is due, but pods of higher priority are not back yet";
  EXPECT_EQ(table_.NextDeadline(), now_ + seconds(5));
  Pass(seconds(5));
  EXPECT_THAT(Active(), ElementsAre("high"));
  EXPECT_EQ(table_.NextDeadline(), std::nullopt) << "a pass comes first";
  PassDone();
  EXPECT_THAT(Active(), ElementsAre("high", "high2"));
  PassDone();
  EXPECT_THAT(Active(), ElementsAre("high", "high2", "low"));
}

TEST_F(PodTableTest, ImagesThatAreNeverPulledStayForThePodsThatNameThem) {
  Pod pod = PodNamed("a");
  pod.containers[0].image = "local:1";
  pod.containers[0].image_pull_policy = PullPolicy::kNever;
  pod.containers.emplace_back().image = "remote:1";
  Want({pod});
  PassDone();
  Evict("a");
  EXPECT_THAT(table_.ImagesThatStay(), ElementsAre("local:1")) << "it waits to come back";
  Want({});
  EXPECT_THAT(table_.ImagesThatStay(), IsEmpty());
}

TEST_F(PodTableTest, APodIsKnownFromWhenItIsWantedUntilNothingOfItIsLeft) {
  EXPECT_FALSE(table_.StandingForGc().all_sources_ready);
  Want({PodNamed("a"), PodNamed("b")});
  PassDone();
  Evict("b");
  const PodsForGc pods = table_.StandingForGc();
  EXPECT_TRUE(pods.all_sources_ready);
  EXPECT_THAT(pods.standing, ElementsAre(testing::Pair("uid-a", PodStanding::kLives),
                                         testing::Pair("uid-b", PodStanding::kLives)))
      << "one of them waits to come back";
  Want({});
  EXPECT_THAT(table_.StandingForGc().standing, IsEmpty());
}

TEST_F(PodTableTest, StopAllEndsEveryPodAndStartsNoMore) {
  Want({PodNamed("a"), PodNamed("b")});
  PassDone();
  Evict("b");
  table_.StopAll(now_);
  Deliver();
  EXPECT_FALSE(table_.AnyOnNode());
  Pass(seconds(100));
  PassDone();
  EXPECT_FALSE(table_.AnyOnNode());
}

// An eviction would free nothing of what the others hold.
TEST_F(PodTableTest, APodInWhosePlaceOthersRunIsNoCandidateUntilItIsCreated) {
  const Error why{ErrorCode::kUnavailable, "processes run in its group"};
  runtime_.FailCreate("uid-a", why, /*by_others=*/true);
  runtime_.FailCreate("uid-b", why);
  Want({PodNamed("a"), PodNamed("b")});
  EXPECT_THAT(Active(), ElementsAre("b"));
  EXPECT_EQ(View("a").status.message, View("b").status.message);
  EXPECT_EQ(View("a").activity, PodActivity::kStarting) << "it is shown, with what keeps it";
  runtime_.CreateSucceeds("uid-a");
  Pass(std::chrono::minutes(10));
  EXPECT_THAT(Active(), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace jettison
