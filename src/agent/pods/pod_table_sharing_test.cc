// Pods that have to share the node: among themselves, and with foreign ones.
#include <algorithm>

#include "agent/pods/pod_table_test_bed.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

class PodTableWithRoomTest : public PodTableTest {
 protected:
  static constexpr Nanos kUnit = 1'000'000'000;

  static bool IsAboutRoom(const std::string& line) {
    return line.find("would make room") != std::string::npos;
  }
  PodTableWithRoomTest() { table_.SetAllocatable(SharedAmounts{0, 100 * kUnit, 0}); }
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
  EXPECT_EQ(View("low").status.reason, "OutOfmemory") << "the back-off is over, the space is taken";
  EXPECT_EQ(View("low").evictions, 0);
  Want({Asking("low", 60)});
  Pass(seconds(30));
  EXPECT_THAT(Active(), ElementsAre("low"));
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

TEST_F(PodTableWithRoomTest, ADryRunPreemptsNobodyAndSaysWhomItWouldPreempt) {
  dependencies_.dry_run = true;
  Want({Asking("low", 60)});
  PassDone();
  runtime_.TakeCommands();
  Want({Asking("low", 60), Asking("high", 80, 10)});
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_THAT(Active(), ElementsAre("low"));
  EXPECT_EQ(View("high").status.phase, PodPhase::kPending);
  EXPECT_THAT(View("high").status.message, EndsWith("it would preempt default/low"));
  EXPECT_EQ(View("high").refused_for, "DryRun");
  EXPECT_EQ(dependencies_.counters.preemptions[1], 0U);
  PassDone();
  EXPECT_EQ(std::ranges::count_if(lines_, IsAboutRoom), 1) << "that is said once";
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Want({Asking("high", 80, 10)});
  EXPECT_THAT(Active(), ElementsAre("high"));
}

class PodTableForeignTest : public PodTableTest {
 protected:
  static RuntimePod SomebodyElses(const std::string& name) {
    RuntimePod found = Running(name);
    found.foreign = true;
    found.origin = PodOrigin::kKubernetes;
    found.pod.restart_policy = RestartPolicy::kNever;
    return found;
  }
  void Find(const std::string& name, AdoptPolicy policy) { Find(SomebodyElses(name), policy); }
  void Find(const RuntimePod& pod, AdoptPolicy policy) {
    table_.SetAdoptPolicy(policy);
    runtime_.SetExisting({pod});
    table_.Handle(PodFound{pod.pod.uid, pod}, now_);
    Deliver();
  }
};

TEST_F(PodTableForeignTest, AnObservedPodIsMeasuredAndNeverEvicted) {
  Find("other", AdoptPolicy::kObserve);
  ASSERT_EQ(table_.Active().size(), 1U);
  EXPECT_EQ(table_.Active().front()->protection, Protection::kObserved);
  EXPECT_EQ(table_.Active().front()->source, PodOrigin::kKubernetes);
  EXPECT_FALSE(View("other").evictions);
  Find("other", AdoptPolicy::kObserve);
  EXPECT_EQ(table_.Active().size(), 1U) << "a pod that is found twice is one pod";
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
  EXPECT_EQ(table_.NameOfPod("uid-other"), "default/other") << "its eviction may be reported now";
  PassDone();
  Pass(seconds(100));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
}

TEST_F(PodTableForeignTest, OneThatMayBeEvictedIsNotPreemptedBecauseNobodyWouldStartItAgain) {
  const auto asking = [](Pod& pod, std::int64_t bytes) {
    pod.containers[0].resources.requests["memory"] = Quantity::Of(bytes);
  };
  table_.SetAllocatable(SharedAmounts{0, 100'000'000'000, 0});
  RuntimePod other = SomebodyElses("other");
  asking(other.pod, 60);
  Find(other, AdoptPolicy::kEvict);
  Pod high = PodNamed("high", 10);
  asking(high, 80);
  Want({high});
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  EXPECT_THAT(Active(), ElementsAre("other"));
  EXPECT_EQ(View("high").status.reason, "OutOfmemory");
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
  EXPECT_FALSE(table_.Active().front()->IsProtected());
  EXPECT_EQ(table_.Views(now_).size(), 1U);
}

}  // namespace
}  // namespace jettison
