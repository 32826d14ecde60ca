#include "agent/pod_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_runtime.h"

namespace jettison {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

Container Named(const char* name) {
  Container container;
  container.name = name;
  return container;
}

Container Sidecar(const char* name) {
  Container container = Named(name);
  container.restart_policy = RestartPolicy::kAlways;
  return container;
}

Pod PodOf(std::vector<Container> init, std::vector<Container> containers) {
  Pod pod;
  pod.name = "web";
  pod.uid = "u";
  pod.init_containers = std::move(init);
  pod.containers = std::move(containers);
  return pod;
}

EvictionOrder OrderOf(std::int64_t grace) {
  return {.pod_uid = "u",
          .grace_period_seconds = grace,
          .message = "The node was low on resource: memory. ",
          .annotations = {},
          .disruption_target = true};
}

// A worker on a fake runtime; time and events move only when the test says so.
class Bench {
 public:
  explicit Bench(Pod pod) : facts_(FactsOf(std::move(pod), Profile::kStandalone)) {
    runtime.SetNow(now_);
  }

  Bench& Start() {
    worker.Start(now_);
    return Deliver();
  }
  // Hands over events until the runtime has no more to say.
  Bench& Deliver() {
    for (auto told = runtime.TakeEvents(); !told.empty(); told = runtime.TakeEvents()) {
      for (const RuntimeEvent& event : told) worker.Handle(event, now_);
    }
    return *this;
  }
  Bench& Pass(Duration time) {
    now_ += time;
    runtime.SetNow(now_);
    worker.Advance(now_);
    return Deliver();
  }
  Bench& Exit(const char* container, int code, bool oom_killed = false) {
    runtime.Exit("u", container, code, oom_killed);
    return Deliver();
  }
  std::vector<std::string> Commands() { return runtime.TakeCommands(); }
  PodStatus Status() { return worker.Status(now_); }
  std::vector<std::string> Reasons() {
    std::vector<std::string> reasons;
    for (const LoggedEvent& event : events.events()) reasons.push_back(event.event.reason);
    return reasons;
  }
  [[nodiscard]] Instant now() const { return now_; }

  FakeRuntime runtime;

 private:
  Instant now_{std::chrono::hours(1)};
  FakeClock clock_;
  PodFacts facts_;

 public:
  Log log{LogFormat::kText, clock_, [](std::string_view) {}};
  EventLog events{log, 100};
  WorkerEdges edges{runtime, events, log, 1 << 30};
  PodWorker worker{facts_, edges};
};

TEST(PodWorker, CreatesThePodThenStartsEveryContainerAtOnce) {
  Bench bench(PodOf({}, {Named("a"), Named("b")}));
  EXPECT_EQ(bench.Status().phase, PodPhase::kPending);
  bench.Start();
  EXPECT_THAT(bench.Commands(),
              ElementsAre("create u", "start u/a#0 oom=1000", "start u/b#0 oom=1000"));
  EXPECT_EQ(bench.Status().phase, PodPhase::kRunning);
  EXPECT_TRUE(bench.Status().Find("Ready")->status);
  EXPECT_EQ(bench.worker.NextDeadline(), std::nullopt);
}

TEST(PodWorker, RunsInitContainersOneAfterTheOther) {
  Bench bench(PodOf({Named("i1"), Named("i2")}, {Named("a")}));
  bench.Start();
  EXPECT_THAT(bench.Commands(), ElementsAre("create u", "start u/i1#0 oom=1000"));
  EXPECT_EQ(bench.Status().phase, PodPhase::kPending);
  EXPECT_THAT(bench.Exit("i1", 0).Commands(), ElementsAre("start u/i2#0 oom=1000"));
  EXPECT_THAT(bench.Exit("i2", 0).Commands(), ElementsAre("start u/a#0 oom=1000"));
  EXPECT_TRUE(bench.Status().Find("Initialized")->status);
}

TEST(PodWorker, FailsThePodWhenAnInitContainerFailsAndNothingIsRestarted) {
  Pod pod = PodOf({Named("i")}, {Named("a")});
  pod.restart_policy = RestartPolicy::kNever;
  Bench bench(std::move(pod));
  bench.Start().Exit("i", 3);
  EXPECT_THAT(bench.Commands(), ElementsAre("create u", "start u/i#0 oom=1000"));
  EXPECT_EQ(bench.Status().phase, PodPhase::kFailed);
  EXPECT_EQ(bench.worker.activity(), PodActivity::kFinished);
}

TEST(PodWorker, RepeatsAFailedInitContainerUntilItSucceeds) {
  Bench bench(PodOf({Named("i")}, {Named("a")}));
  bench.Start().Exit("i", 1).Exit("i", 1);
  EXPECT_EQ(bench.worker.NextDeadline(), bench.now() + seconds(10));
  bench.Commands();
  EXPECT_THAT(bench.Pass(seconds(10)).Exit("i", 0).Commands(),
              ElementsAre("start u/i#2 oom=1000", "start u/a#0 oom=1000"));
}

TEST(PodWorker, StartsSidecarsInOrderAndKeepsThemRunning) {
  Bench bench(PodOf({Sidecar("s1"), Named("i"), Sidecar("s2")}, {Named("a")}));
  bench.Start();
  EXPECT_THAT(bench.Commands(),
              ElementsAre("create u", "start u/s1#0 oom=1000", "start u/i#0 oom=1000"));
  EXPECT_THAT(bench.Exit("i", 0).Commands(),
              ElementsAre("start u/s2#0 oom=1000", "start u/a#0 oom=1000"));
  EXPECT_THAT(bench.Exit("s1", 0).Commands(), ElementsAre("start u/s1#1 oom=1000"));
}

TEST(PodWorker, RestartsWithBackoffThatBeginsAnewAfterTenMinutes) {
  Bench bench(PodOf({}, {Named("a")}));
  bench.Start().Commands();
  EXPECT_THAT(bench.Pass(seconds(1)).Exit("a", 1).Commands(), ElementsAre("start u/a#1 oom=1000"));
  bench.Pass(seconds(1)).Exit("a", 137, true);
  EXPECT_THAT(bench.Commands(), IsEmpty());
  const PodStatus status = bench.Status();
  EXPECT_EQ(std::get<ContainerWaiting>(status.containers[0].state).reason, "CrashLoopBackOff");
  EXPECT_EQ(status.containers[0].restart_count, 1);
  EXPECT_EQ(TerminationReason(*status.containers[0].last_state), "OOMKilled");
  EXPECT_THAT(bench.Pass(seconds(9)).Commands(), IsEmpty());
  EXPECT_THAT(bench.Pass(seconds(1)).Commands(), ElementsAre("start u/a#2 oom=1000"));
  bench.Pass(seconds(1)).Exit("a", 1);
  EXPECT_EQ(bench.worker.NextDeadline(), bench.now() + seconds(20));
  EXPECT_THAT(bench.Pass(seconds(20)).Commands(), ElementsAre("start u/a#3 oom=1000"));
  EXPECT_THAT(bench.Pass(minutes(10)).Exit("a", 1).Commands(), ElementsAre("start u/a#4 oom=1000"));
}

struct FinishRow {
  RestartPolicy policy;
  int exit_code;
  PodPhase phase;
  bool restarts;
};

TEST(PodWorker, FollowsTheRestartPolicy) {
  const FinishRow rows[] = {
      {RestartPolicy::kAlways, 0, PodPhase::kRunning, true},
      {RestartPolicy::kAlways, 1, PodPhase::kRunning, true},
      {RestartPolicy::kOnFailure, 0, PodPhase::kSucceeded, false},
      {RestartPolicy::kOnFailure, 1, PodPhase::kRunning, true},
      {RestartPolicy::kNever, 0, PodPhase::kSucceeded, false},
      {RestartPolicy::kNever, 1, PodPhase::kFailed, false},
  };
  for (const FinishRow& row : rows) {
    Pod pod = PodOf({}, {Named("a")});
    pod.restart_policy = row.policy;
    Bench bench(std::move(pod));
    bench.Start().Exit("a", row.exit_code);
    EXPECT_EQ(bench.Status().phase, row.phase);
    EXPECT_EQ(bench.runtime.IsRunning("u", "a"), row.restarts);
    if (!row.restarts) {
      const auto state = std::get<ContainerTerminated>(bench.Status().containers[0].state);
      EXPECT_EQ(state.exit.exit_code, row.exit_code);
    }
  }
}

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

TEST(PodWorker, EvictionStopsWithTheOrdersGraceAndKillsWhenItIsOver) {
  Bench bench(PodOf({}, {Named("a"), Named("b")}));
  bench.runtime.IgnoreStop("a");
  bench.Start().Commands();
  EXPECT_TRUE(bench.worker.Evict(OrderOf(1), bench.now()));
  EXPECT_THAT(bench.Commands(), ElementsAre("stop u/a 1s", "stop u/b 1s"));
  bench.Deliver();
  EXPECT_EQ(bench.worker.NextDeadline(), bench.now() + seconds(1));
  EXPECT_FALSE(bench.worker.IsCandidate());
  EXPECT_THAT(bench.Pass(seconds(1)).Commands(), ElementsAre("kill u/a", "remove u"));
  EXPECT_TRUE(bench.worker.IsGone());
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
    EXPECT_EQ(bench.worker.NextDeadline(), std::nullopt);
    bench.Exit("a", 137);
    EXPECT_TRUE(bench.worker.IsGone());
  }
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

TEST(PodWorker, TriesAgainWhenThePodCannotBeMade) {
  Bench bench(PodOf({}, {Named("a")}));
  bench.runtime.FailCreate("u", {ErrorCode::kNotFound, "configMap web: no such folder"});
  bench.Start();
  EXPECT_EQ(bench.Status().message, "configMap web: no such folder");
  EXPECT_EQ(bench.worker.NextDeadline(), bench.now() + seconds(10));
  bench.runtime.CreateSucceeds("u");
  bench.Commands();
  EXPECT_THAT(bench.Pass(seconds(10)).Commands(), ElementsAre("create u", "start u/a#0 oom=1000"));
}

TEST(PodWorker, AContainerThatCannotBeStartedCountsAsFailedAndIsTriedAgain) {
  Bench bench(PodOf({}, {Named("a")}));
  bench.runtime.FailStart("a", {ErrorCode::kNotFound, "exec /nope: no such file"});
  bench.Start();
  const PodStatus status = bench.Status();
  EXPECT_EQ(status.containers[0].last_state->exit_code, kStartErrorExitCode);
  EXPECT_EQ(std::get<ContainerWaiting>(status.containers[0].state).message,
            "exec /nope: no such file");
  EXPECT_EQ(bench.worker.NextDeadline(), bench.now() + seconds(10));
}

TEST(PodWorker, AdoptedContainersRunOnAndEndedOnesAreRestarted) {
  Bench bench(PodOf({Named("i"), Sidecar("s")}, {Named("a"), Named("b")}));
  const ContainerExit exit = {.exit_code = 2,
                              .signal = 0,
                              .oom_killed = false,
                              .started = Instant{},
                              .finished = Instant{seconds(1)}};
  const std::vector<ContainerRecord> records = {
      {.pod_uid = "u", .name = "b", .attempt = 4, .created = Instant{}, .exit = exit},
      {.pod_uid = "u", .name = "a", .attempt = 1, .created = Instant{}, .exit = std::nullopt},
      {.pod_uid = "u", .name = "a", .attempt = 0, .created = Instant{}, .exit = exit},
      {.pod_uid = "u", .name = "s", .attempt = 0, .created = Instant{}, .exit = std::nullopt}};
  bench.worker.Adopt(records, bench.now());
  EXPECT_THAT(bench.Commands(), ElementsAre("start u/b#5 oom=1000"));
  const PodStatus status = bench.Deliver().Status();
  EXPECT_EQ(status.phase, PodPhase::kRunning);
  EXPECT_EQ(status.containers[2].restart_count, 1);
  EXPECT_EQ(status.containers[2].last_state->exit_code, 2);
  EXPECT_THAT(bench.worker.dead_runs(), testing::SizeIs(2));
}

TEST(PodWorker, AnAdoptedPodThatHadCompletedStaysCompleted) {
  Pod pod = PodOf({}, {Named("a")});
  pod.restart_policy = RestartPolicy::kNever;
  Bench bench(std::move(pod));
  bench.worker.Adopt(
      {{.pod_uid = "u", .name = "a", .attempt = 0, .created = Instant{}, .exit = ContainerExit{}}},
      bench.now());
  EXPECT_THAT(bench.Commands(), IsEmpty());
  EXPECT_EQ(bench.Status().phase, PodPhase::kSucceeded);
}

TEST(PodWorker, EventsOfOtherPodsAndOtherRunsChangeNothing) {
  Bench bench(PodOf({}, {Named("a")}));
  bench.Start().Commands();
  bench.runtime.Push(ContainerExited{"other", "a", 0, {}});
  bench.runtime.Push(ContainerExited{"u", "a", 7, {}});
  EXPECT_THAT(bench.Deliver().Commands(), IsEmpty());
  EXPECT_EQ(bench.Status().phase, PodPhase::kRunning);
}

}  // namespace
}  // namespace jettison
