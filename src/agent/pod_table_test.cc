#include "agent/pod_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_runtime.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

NodeConditions Pressure(NodeConditionType type) {
  NodeConditions conditions;
  conditions.Set(type);
  return conditions;
}

Pod PodNamed(const std::string& name, std::int32_t priority = 0) {
  Pod pod;
  pod.name = name;
  pod.uid = "uid-" + name;
  pod.priority = priority;
  pod.containers.emplace_back().name = "c";
  return pod;
}

EvictionOrder OrderFor(const std::string& name, std::int64_t grace = 1) {
  return {.pod_uid = "uid-" + name,
          .grace_period_seconds = grace,
          .message = "low on memory",
          .annotations = {},
          .disruption_target = true};
}

class PodTableTest : public testing::Test {
 protected:
  void Deliver() {
    for (auto told = runtime_.TakeEvents(); !told.empty(); told = runtime_.TakeEvents()) {
      for (const RuntimeEvent& event : told) table_.Handle(event, now_);
    }
  }
  void Want(std::vector<Pod> pods) {
    table_.SetWanted(std::move(pods), now_);
    Deliver();
  }
  void Pass(Duration time) {
    now_ += time;
    runtime_.SetNow(now_);
    table_.Advance(now_);
    Deliver();
  }
  void PassDone(NodeConditions conditions = {}) {
    table_.PassDone(conditions, now_);
    Deliver();
  }
  void Evict(const std::string& name) {
    EXPECT_TRUE(table_.Evict(OrderFor(name), now_).value());
    Deliver();
  }
  std::vector<std::string> Active() {
    std::vector<std::string> names;
    for (const PodFacts* facts : table_.Active()) names.push_back(facts->pod.name);
    return names;
  }
  PodView View(const std::string& name) {
    for (PodView& view : table_.Views(now_)) {
      if (view.name == name) return view;
    }
    ADD_FAILURE() << "no pod " << name;
    return {};
  }

  Instant now_{std::chrono::hours(1)};
  FakeClock clock_;
  FakeRuntime runtime_;
  Log log_{LogFormat::kText, clock_, [](std::string_view) {}};
  EventLog events_{log_, 100};
  WorkerEdges edges_{runtime_, events_, log_, 1 << 30};
  PodTable table_{Profile::kStandalone, kComeBackRule, edges_};
};

TEST_F(PodTableTest, RunsWhatIsWantedHighestPriorityFirst) {
  Want({PodNamed("a"), PodNamed("b", 10)});
  EXPECT_THAT(runtime_.TakeCommands(),
              ElementsAre("create uid-b", "create uid-a", "start uid-b/c#0 oom=1000",
                          "start uid-a/c#0 oom=1000"));
  EXPECT_THAT(Active(), ElementsAre("a", "b"));
}

TEST_F(PodTableTest, EndsWhatIsNoLongerWanted) {
  Want({PodNamed("a"), PodNamed("b")});
  runtime_.TakeCommands();
  Want({PodNamed("b")});
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop uid-a/c 30s", "remove uid-a"));
  EXPECT_THAT(Active(), ElementsAre("b"));
}

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
}

TEST_F(PodTableTest, APodWithItsUidKeptButItsSpecChangedIsReplacedToo) {
  Want({PodNamed("a")});
  Want({PodNamed("a")});
  runtime_.TakeCommands();
  Pod changed = PodNamed("a");
  changed.containers[0].args = {"x"};
  Want({changed});
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop uid-a/c 30s", "remove uid-a",
                                                   "create uid-a", "start uid-a/c#0 oom=1000"));
}

TEST_F(PodTableTest, AdoptedPodsAreKeptWhenWantedAndEndedWhenNot) {
  const auto running = [](const char* name) {
    return RuntimePod{.pod = PodNamed(name),
                      .containers = {{.pod_uid = std::string("uid-") + name,
                                      .name = "c",
                                      .attempt = 0,
                                      .created = Instant{},
                                      .exit = std::nullopt}}};
  };
  runtime_.SetExisting({running("keep"), running("drop")});
  table_.Adopt(runtime_.List().value(), now_);
  EXPECT_THAT(Active(), ElementsAre("drop", "keep"));
  Want({PodNamed("keep"), PodNamed("new")});
  EXPECT_THAT(runtime_.TakeCommands(),
              ElementsAre("stop uid-drop/c 30s", "create uid-new", "remove uid-drop",
                          "start uid-new/c#0 oom=1000"));
}

TEST_F(PodTableTest, ARefusedPodIsFailedAndAskedAgainAfterEachPass) {
  PassDone(Pressure(NodeConditionType::kMemoryPressure));
  Want({PodNamed("a")});
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  const PodView view = View("a");
  EXPECT_EQ(view.status.phase, PodPhase::kFailed);
  EXPECT_EQ(view.status.reason, "Evicted");
  EXPECT_EQ(view.status.message, "The node had condition: [MemoryPressure]. ");
  PassDone(Pressure(NodeConditionType::kMemoryPressure));
  EXPECT_EQ(events_.count(), 1U);
  PassDone();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("create uid-a", "start uid-a/c#0 oom=1000"));
}

TEST_F(PodTableTest, AnEvictedPodComesBackAfterABackoffThatDoubles) {
  Want({PodNamed("a")});
  for (const int delay : {10, 20, 40}) {
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
  EXPECT_EQ(View("a").evictions, 3);
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
  EXPECT_THAT(Active(), IsEmpty()) << "low is due, but those above it are not back";
  EXPECT_EQ(table_.NextDeadline(), now_ + seconds(5));
  Pass(seconds(5));
  EXPECT_THAT(Active(), ElementsAre("high"));
  EXPECT_EQ(table_.NextDeadline(), std::nullopt) << "a pass comes first";
  PassDone();
  EXPECT_THAT(Active(), ElementsAre("high", "high2"));
  PassDone();
  EXPECT_THAT(Active(), ElementsAre("high", "high2", "low"));
}

TEST_F(PodTableTest, APodThatEndsInAHurryIsNoCandidateAnyMore) {
  runtime_.IgnoreStop("c");
  Want({PodNamed("a"), PodNamed("b")});
  EXPECT_TRUE(table_.Evict(OrderFor("a", 60), now_).value());
  EXPECT_THAT(Active(), ElementsAre("a", "b"));
  EXPECT_TRUE(table_.Evict(OrderFor("a"), now_).value());
  EXPECT_THAT(Active(), ElementsAre("b"));
  EXPECT_FALSE(table_.Evict(OrderFor("a"), now_).value());
  EXPECT_EQ(table_.Evict(OrderFor("x"), now_).error().code, ErrorCode::kNotFound);
}

class PodTableWithRoomTest : public PodTableTest {
 protected:
  static constexpr Nanos kUnit = 1'000'000'000;

  PodTableWithRoomTest() {
    table_ =
        PodTable(Profile::kStandalone, kComeBackRule, edges_, SharedAmounts{0, 100 * kUnit, 0});
  }
  static Pod Asking(const std::string& name, std::int64_t bytes, std::int32_t priority = 0) {
    Pod pod = PodNamed(name, priority);
    pod.containers[0].resources.requests["memory"] = Quantity::Of(bytes);
    return pod;
  }
};

TEST_F(PodTableWithRoomTest, APodThatFindsNoRoomIsRefusedOnceAndStartsWhenThereIsSome) {
  Want({Asking("a", 80), Asking("b", 40)});
  EXPECT_THAT(Active(), ElementsAre("a"));
  EXPECT_EQ(View("b").status.phase, PodPhase::kFailed);
  EXPECT_EQ(View("b").status.reason, "OutOfmemory");
  EXPECT_EQ(View("b").status.message,
            "Node didn't have enough resource: memory, requested: 40, used: 80, capacity: 100");
  const auto told = events_.count();
  PassDone();
  EXPECT_EQ(events_.count(), told);
  Want({Asking("b", 40)});
  EXPECT_THAT(Active(), ElementsAre("b"));
}

TEST_F(PodTableWithRoomTest, LowerPriorityMakesRoomAndComesBackWhenThereIsRoomAgain) {
  Want({Asking("low", 60)});
  PassDone();
  runtime_.TakeCommands();
  runtime_.IgnoreStop("c");
  Want({Asking("low", 60), Asking("high", 80, 10)});
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop uid-low/c 30s"));
  EXPECT_EQ(View("low").status.reason, "Preempting");
  EXPECT_EQ(View("low").status.message, "Preempted in order to admit pod default/high");
  EXPECT_NE(View("low").status.Find("DisruptionTarget"), nullptr);
  EXPECT_EQ(View("high").status.phase, PodPhase::kPending);
  Pass(seconds(30));
  EXPECT_THAT(Active(), ElementsAre("high"));
  Pass(seconds(10));
  EXPECT_EQ(View("low").status.reason, "OutOfmemory") << "its back-off is over, the room is not";
  EXPECT_EQ(View("low").evictions, 0);
  Want({Asking("low", 60)});
  Pass(seconds(30));
  EXPECT_THAT(Active(), ElementsAre("low"));
}

TEST_F(PodTableWithRoomTest, RoomThatIsBeingMadeIsNotTakenByAnother) {
  Want({Asking("low", 60)});
  runtime_.IgnoreStop("c");
  Want({Asking("low", 60), Asking("high", 80, 10), Asking("small", 40, 5)});
  EXPECT_EQ(View("small").status.reason, "OutOfmemory")
      << "there are 40 free now, but they are part of what high waits for";
  Pass(seconds(30));
  EXPECT_THAT(Active(), ElementsAre("high"));
  Want({Asking("small", 40, 5)});
  Pass(seconds(30));
  EXPECT_THAT(Active(), ElementsAre("small"));
}

TEST_F(PodTableWithRoomTest, APodThatComesBackMakesRoomToo) {
  Want({Asking("high", 80, 10)});
  PassDone();
  Evict("high");
  Want({Asking("high", 80, 10), Asking("low", 60)});
  EXPECT_THAT(Active(), ElementsAre("low"));
  PassDone();
  Pass(seconds(10));
  EXPECT_EQ(View("low").status.reason, "Preempting");
  EXPECT_THAT(Active(), ElementsAre("high"));
  EXPECT_EQ(View("high").comes_back_at, std::nullopt);
}

TEST_F(PodTableWithRoomTest, OneThatFindsNoRoomToComeBackHoldsUpNobody) {
  Want({Asking("big", 80, 10), Asking("small", 10)});
  PassDone();
  Evict("big");
  Evict("small");
  Want({Asking("big", 80, 10), Asking("small", 10), Asking("other", 50, 20)});
  PassDone();
  Pass(seconds(10));
  EXPECT_THAT(Active(), ElementsAre("other", "small"));
  EXPECT_EQ(View("big").status.reason, "OutOfmemory");
}

TEST_F(PodTableWithRoomTest, APodThatIsTakenAwayWhileItWaitsIsForgotten) {
  Want({Asking("low", 60)});
  runtime_.IgnoreStop("c");
  Want({Asking("low", 60), Asking("high", 80, 10)});
  Want({Asking("low", 60), Asking("next", 30)});
  EXPECT_THAT(Active(), ElementsAre("low", "next"));
}

class PodTableForeignTest : public PodTableTest {
 protected:
  static RuntimePod SomebodyElses(const std::string& name) {
    RuntimePod found = {.pod = PodNamed(name),
                        .containers = {{.pod_uid = "uid-" + name,
                                        .name = "c",
                                        .attempt = 0,
                                        .created = Instant{},
                                        .exit = std::nullopt}},
                        .foreign = true};
    found.pod.restart_policy = RestartPolicy::kNever;
    return found;
  }
  void Find(const std::string& name, AdoptPolicy policy) {
    table_.SetAdoptPolicy(policy);
    runtime_.SetExisting({SomebodyElses(name)});
    table_.Handle(PodFound{"uid-" + name, SomebodyElses(name)}, now_);
    Deliver();
  }
};

TEST_F(PodTableForeignTest, AnObservedPodIsMeasuredAndNeverEvicted) {
  Find("other", AdoptPolicy::kObserve);
  ASSERT_EQ(table_.Active().size(), 1U);
  EXPECT_TRUE(table_.Active().front()->critical);
  EXPECT_FALSE(View("other").evictions);
  Find("other", AdoptPolicy::kObserve);
  EXPECT_EQ(table_.Active().size(), 1U) << "found twice is one pod";
  EXPECT_EQ(table_.CountObserved(), 1U);
  Find("unseen", AdoptPolicy::kNone);
  EXPECT_EQ(table_.Active().size(), 1U);
}

TEST_F(PodTableForeignTest, OneThatMayBeEvictedGoesAndDoesNotComeBack) {
  Find("other", AdoptPolicy::kEvict);
  EXPECT_EQ(table_.CountObserved(), 0U);
  Evict("other");
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop uid-other/c 1s", "remove uid-other"));
  EXPECT_THAT(table_.Views(now_), IsEmpty());
  PassDone();
  Pass(seconds(100));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
}

TEST_F(PodTableForeignTest, ManifestsAndTheAgentsEndLeaveItAlone) {
  Find("other", AdoptPolicy::kEvict);
  Pod mine = PodNamed("other");
  mine.uid = "uid-mine";
  Want({mine});
  EXPECT_EQ(table_.Active().size(), 2U) << "a manifest of the same name is another pod";
  Want({});
  table_.StopAll(now_);
  Deliver();
  EXPECT_THAT(Active(), ElementsAre("other"));
  EXPECT_FALSE(table_.AnyOnNode());
}

TEST_F(PodTableForeignTest, APodOfTheSameUidTakesItsPlace) {
  Find("other", AdoptPolicy::kObserve);
  Pod pod = PodNamed("mine");
  pod.uid = "uid-other";
  Want({pod});
  ASSERT_EQ(table_.Active().size(), 1U);
  EXPECT_EQ(table_.Active().front()->pod.name, "mine");
  EXPECT_FALSE(table_.Active().front()->critical);
  EXPECT_EQ(table_.Views(now_).size(), 1U);
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

}  // namespace
}  // namespace jettison
