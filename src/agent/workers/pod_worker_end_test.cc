// How a worker ends its pod.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "agent/workers/pod_worker_test_bed.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(PodWorker, EndsSidecarsLastOneFirstWhenTheWorkIsDone) {
  Pod pod = PodOf({Sidecar("s1"), Sidecar("s2")}, {Named("a")});
  pod.restart_policy = RestartPolicy::kNever;
  Bench bench(std::move(pod));
  bench.Start().Commands();
  bench.Exit("a", 0);
  EXPECT_THAT(bench.Commands(), ElementsAre("stop u/s2 30s", "stop u/s1 30s"));
  EXPECT_EQ(bench.Status().phase, PodPhase::kSucceeded);
  EXPECT_FALSE(bench.worker.IsCandidate());
}

TEST(PodWorker, AnEvictedPodIsFailedEvenWhenItEndsWithZero) {
  Pod pod = PodOf({}, {Named("a")});
  pod.restart_policy = RestartPolicy::kOnFailure;
  Bench bench(std::move(pod));
  bench.runtime.IgnoreStop("a");
  bench.Start();
  bench.worker.Evict(OrderOf(1), bench.now());
  for (int step = 0; step < 2; ++step) {
    const PodStatus status = bench.Status();
    EXPECT_EQ(status.phase, PodPhase::kFailed);
    EXPECT_EQ(status.reason, "Evicted");
    EXPECT_EQ(status.message, "The node was low on resource: memory. ");
    EXPECT_EQ(status.Find("DisruptionTarget")->reason, "TerminationByKubelet");
    EXPECT_FALSE(status.Find("Ready")->status);
    bench.Exit("a", 0);
  }
  EXPECT_TRUE(bench.worker.IsGone());
}

TEST(PodWorker, AShorterGracePeriodOverridesALongerOneNeverTheOtherWayRound) {
  Bench bench(PodOf({}, {Named("a")}));
  bench.runtime.IgnoreStop("a");
  bench.Start().Commands();
  EXPECT_TRUE(bench.worker.Evict(OrderOf(60), bench.now()));
  EXPECT_TRUE(bench.worker.IsCandidate());
  bench.Pass(seconds(5));
  EXPECT_FALSE(bench.worker.Evict(OrderOf(90), bench.now()));
  EXPECT_TRUE(bench.worker.Evict(OrderOf(1), bench.now()));
  EXPECT_THAT(bench.Commands(), ElementsAre("stop u/a 1m0s", "stop u/a 1s"));
  EXPECT_THAT(bench.Pass(seconds(1)).Commands(), ElementsAre("kill u/a", "remove u"));
}

// The pod may ignore the signal and take memory until it is killed: then it must be evicted, not
// another one.
TEST(PodWorker, AnUnwantedPodIsACandidateUntilItIsEvictedOrKilledHoweverShortItsGrace) {
  for (const bool evicted : {false, true}) {
    Pod pod = PodOf({}, {Named("a")});
    pod.termination_grace_period_seconds = 1;
    Bench bench(std::move(pod));
    bench.runtime.IgnoreStop("a");
    bench.Start();
    bench.worker.Terminate(bench.now());
    EXPECT_TRUE(bench.worker.IsCandidate());
    if (evicted) {
      EXPECT_TRUE(bench.worker.Evict(OrderOf(1), bench.now()));
    } else {
      bench.worker.Advance(bench.now() + seconds(1));
    }
    EXPECT_FALSE(bench.worker.IsCandidate());
  }
}

TEST(PodWorker, TellsWhenTheKillExceedsItsGracePeriodAndKillsAgain) {
  struct Row {
    int grace;
    int timeout;
  };
  for (const Row& row : {Row{1, 10}, Row{6, 10}, Row{30, 45}}) {
    Bench bench(PodOf({}, {Named("a")}));
    bench.runtime.IgnoreStop("a");
    bench.runtime.IgnoreKill("a");
    bench.Start();
    bench.worker.Evict(OrderOf(row.grace), bench.now());
    bench.Pass(seconds(row.grace));
    bench.Pass(seconds(row.timeout - row.grace) - std::chrono::nanoseconds(1));
    EXPECT_THAT(bench.Reasons(), testing::Not(testing::Contains("ExceededGracePeriod")));
    bench.Commands();
    bench.Pass(std::chrono::nanoseconds(1));
    EXPECT_THAT(bench.Reasons(), testing::Contains("ExceededGracePeriod"));
    EXPECT_THAT(bench.Commands(), ElementsAre("kill u/a"));
    bench.Exit("a", 137);
    EXPECT_TRUE(bench.worker.IsGone());
  }
}

TEST(PodWorker, WhatLivesOnIsKilledAgainAndAgainAtGrowingIntervals) {
  Bench bench(PodOf({}, {Named("a")}));
  bench.runtime.IgnoreStop("a");
  bench.runtime.IgnoreKill("a");
  bench.Start();
  bench.worker.Evict(OrderOf(1), bench.now());
  bench.Commands();
  const Instant end = bench.now() + std::chrono::minutes(10);
  std::vector<Duration> pauses;
  for (Instant last = bench.now(); bench.now() < end;) {
    const auto next = bench.worker.NextDeadline();
    ASSERT_TRUE(next.has_value()) << "killing it is always tried again";
    if (bench.Pass(*next - bench.now()).Commands().empty()) continue;
    pauses.push_back(bench.now() - last);
    last = bench.now();
  }
  EXPECT_GT(pauses.size(), 20U);
  EXPECT_LE(*std::ranges::max_element(pauses), seconds(30));
  EXPECT_EQ(pauses.back(), seconds(30));
  EXPECT_FALSE(bench.worker.IsCandidate()) << "choosing it would only kill it again";
  EXPECT_GT(bench.worker.Survival()->kills, 20);
  bench.Exit("a", 137);
  EXPECT_TRUE(bench.worker.IsGone());
  EXPECT_FALSE(bench.worker.Survival());
}

TEST(PodWorker, NoContainerWaitsForTheHookOfAnother) {
  Pod pod = PodOf({}, {Named("hooked"), Named("hog"), Named("plain")});
  pod.containers[0].pre_stop = ExecAction{.command = {"/drain"}};
  Bench bench(std::move(pod));
  bench.Start().Commands();
  EXPECT_TRUE(bench.worker.Evict(OrderOf(1), bench.now()));
  EXPECT_THAT(bench.Commands(),
              ElementsAre("stop u/hog 1s", "stop u/plain 1s", "stop u/hooked 1s"));
}

TEST(PodWorker, AnUnwantedPodEndsWithItsOwnGracePeriodAndIsRemoved) {
  Pod pod = PodOf({Sidecar("s")}, {Named("a")});
  pod.termination_grace_period_seconds = 7;
  Bench bench(std::move(pod));
  bench.Start().Commands();
  bench.worker.Terminate(bench.now());
  bench.Deliver();
  EXPECT_THAT(bench.Commands(), ElementsAre("stop u/a 7s", "stop u/s 7s", "remove u"));
  EXPECT_TRUE(bench.worker.IsGone());
}

TEST(PodWorker, ACompletedPodStaysUntilNobodyWantsIt) {
  Pod pod = PodOf({}, {Named("a")});
  pod.restart_policy = RestartPolicy::kNever;
  Bench bench(std::move(pod));
  bench.Start().Exit("a", 0).Commands();
  EXPECT_FALSE(bench.worker.Evict(OrderOf(1), bench.now()));
  EXPECT_THAT(bench.Commands(), IsEmpty());
  bench.worker.Terminate(bench.now());
  EXPECT_THAT(bench.Deliver().Commands(), ElementsAre("remove u"));
}

TEST(PodWorker, EndingWhileThePodIsBeingMadeWaitsForNoAnswer) {
  for (const bool evicted : {false, true}) {
    Bench bench(PodOf({}, {Named("a")}));
    bench.worker.Start(bench.now());
    if (evicted) {
      EXPECT_TRUE(bench.worker.Evict(OrderOf(1), bench.now()));
    } else {
      bench.worker.Terminate(bench.now());
    }
    bench.worker.Advance(bench.now());
    EXPECT_THAT(bench.Commands(), ElementsAre("create u", "remove u"));
    EXPECT_FALSE(bench.worker.IsGone());
    EXPECT_THAT(bench.Deliver().Commands(), IsEmpty());
    EXPECT_TRUE(bench.worker.IsGone());
  }
}

TEST(PodWorker, AContainerThatIsJustStartingIsStoppedOnceItRuns) {
  Bench bench(PodOf({}, {Named("a")}));
  bench.worker.Start(bench.now());
  for (const RuntimeEvent& event : bench.runtime.TakeEvents()) {
    bench.worker.Handle(event, bench.now());  // PodReady: the start is under way
  }
  bench.worker.Evict(OrderOf(1), bench.now());
  EXPECT_THAT(bench.Commands(), ElementsAre("create u", "start u/a#0 oom=1000"));
  EXPECT_THAT(bench.Deliver().Commands(), ElementsAre("stop u/a 1s", "remove u"));
}

}  // namespace
}  // namespace jettison
