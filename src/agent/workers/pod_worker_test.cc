#include "agent/workers/pod_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "agent/workers/pod_worker_test_bed.h"
#include "ports/fakes/fake_cgroups.h"

namespace jettison {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(PodWorker, CountsForTheGroupOfItsClassFromItsCreationUntilItIsBeingRemoved) {
  FakeCgroups cgroups;
  kernel::QosGroups groups(cgroups, CgroupDriver::kCgroupfs, [](const Error&) {});
  Container container = Named("a");
  container.resources.requests["cpu"] = *Quantity::Parse("500m");
  Bench bench(PodOf({}, {container}));
  bench.dependencies.qos_groups = &groups;
  bench.runtime.HoldRemoval();
  bench.Start();
  EXPECT_EQ(cgroups.LimitsOf("kubepods/burstable").cpu_shares, 512U);
  bench.worker.Terminate(bench.now());
  bench.Deliver().Pass(seconds(1));
  ASSERT_TRUE(bench.worker.removing_since());
  const PodPlan other{.pod = std::make_shared<const Pod>(), .qos = QosClass::kGuaranteed};
  groups.Add({&other});
  EXPECT_EQ(cgroups.LimitsOf("kubepods/burstable").cpu_shares, 2U);
}

TEST(PodWorker, RunsInitContainersOneAfterTheOtherThenAllContainersAtOnce) {
  Bench bench(PodOf({Named("i1"), Named("i2")}, {Named("a"), Named("b")}));
  bench.Start();
  EXPECT_THAT(bench.Commands(), ElementsAre("create u", "start u/i1#0 oom=1000"));
  EXPECT_EQ(bench.Status().phase, PodPhase::kPending);
  EXPECT_THAT(bench.Exit("i1", 0).Commands(), ElementsAre("start u/i2#0 oom=1000"));
  EXPECT_THAT(bench.Exit("i2", 0).Commands(),
              ElementsAre("start u/a#0 oom=1000", "start u/b#0 oom=1000"));
  EXPECT_TRUE(bench.Status().Find("Initialized")->status);
  EXPECT_EQ(bench.Status().phase, PodPhase::kRunning);
  EXPECT_TRUE(bench.Status().Find("Ready")->status);
  EXPECT_EQ(bench.worker.NextDeadline(), std::nullopt);
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

TEST(PodWorker, AContainerThatCannotBeMadeIsTriedAgainUnderAnyPolicy) {
  Pod pod = PodOf({Named("i")}, {Named("a")});
  pod.restart_policy = RestartPolicy::kNever;
  Bench bench(std::move(pod));
  const StartError no_image = {StartFailure::kImagePull, {ErrorCode::kUnavailable, "no such host"}};
  bench.runtime.FailStart("i", no_image);
  bench.Start();
  const PodStatus status = bench.Status();
  EXPECT_EQ(status.phase, PodPhase::kPending);
  EXPECT_EQ(bench.worker.activity(), PodActivity::kStarting);
  EXPECT_EQ(std::get<ContainerWaiting>(status.containers[0].state).reason, "ErrImagePull");
  EXPECT_EQ(std::get<ContainerWaiting>(status.containers[0].state).message, "no such host");
  EXPECT_EQ(bench.worker.NextDeadline(), bench.now() + seconds(10));
  bench.Commands();
  EXPECT_THAT(bench.Pass(seconds(9)).Commands(), IsEmpty());
  EXPECT_THAT(bench.Pass(seconds(1)).Commands(), ElementsAre("start u/i#1 oom=1000"));
  EXPECT_EQ(bench.worker.NextDeadline(), bench.now() + seconds(20));
  bench.runtime.StartSucceeds("i");
  bench.runtime.FailStart("a", no_image);
  bench.Pass(seconds(20)).Exit("i", 0);
  EXPECT_EQ(bench.Status().phase, PodPhase::kPending);
  EXPECT_EQ(bench.worker.activity(), PodActivity::kStarting);
  EXPECT_EQ(bench.worker.NextDeadline(), bench.now() + seconds(10));
  bench.runtime.StartSucceeds("a");
  EXPECT_EQ(bench.Pass(seconds(10)).Status().phase, PodPhase::kRunning);
  EXPECT_EQ(bench.Exit("a", 0).Status().phase, PodPhase::kSucceeded);
}

TEST(PodWorker, AProgramThatCannotBeRunHasFailedAndTheRestartPolicyDecides) {
  for (const RestartPolicy policy : {RestartPolicy::kNever, RestartPolicy::kAlways}) {
    Pod pod = PodOf({}, {Named("a")});
    pod.restart_policy = policy;
    Bench bench(std::move(pod));
    bench.runtime.FailStart("a", {StartFailure::kRun, {ErrorCode::kNotFound, "no such file"}});
    bench.Start();
    const PodStatus status = bench.Status();
    const ContainerStatus& container = status.containers[0];
    if (policy == RestartPolicy::kNever) {
      EXPECT_EQ(status.phase, PodPhase::kFailed);
      EXPECT_EQ(std::get<ContainerTerminated>(container.state).start_error, "no such file");
      continue;
    }
    EXPECT_EQ(container.last_state->exit_code, kStartErrorExitCode);
    EXPECT_EQ(std::get<ContainerWaiting>(container.state).message, "no such file");
    EXPECT_EQ(bench.worker.NextDeadline(), bench.now() + seconds(10));
  }
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

// The runs of a pod in the order of its containers, all of which have ended before the machine was
// restarted.
std::vector<ContainerRecord> EndedBeforeTheBoot(const Pod& pod, int exit_code) {
  std::vector<ContainerRecord> records;
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const Container& container : *containers) {
      const bool is_init = containers == &pod.init_containers;
      records.push_back({.pod_uid = "u",
                         .name = container.name,
                         .attempt = 0,
                         .exit = ContainerExit{.exit_code = is_init ? 0 : exit_code},
                         .of_earlier_life = true});
    }
  }
  return records;
}

TEST(PodWorker, InitContainersRunAgainWhenTheMachineWasRestarted) {
  const Pod pod = PodOf({Named("i"), Sidecar("s")}, {Named("a")});
  Bench bench(pod);
  bench.worker.Adopt(EndedBeforeTheBoot(pod, 137), bench.now());
  EXPECT_THAT(bench.Commands(), ElementsAre("start u/i#1 oom=1000"));
  EXPECT_FALSE(bench.Deliver().Status().Find("Initialized")->status);
  bench.runtime.Exit("u", "i", 0);
  EXPECT_THAT(bench.Deliver().Commands(),
              ElementsAre("start u/s#1 oom=1000", "start u/a#1 oom=1000"));
}

TEST(PodWorker, InitContainersRunOnceInEachLifeOfAPod) {
  const Pod pod = PodOf({Named("i")}, {Named("a")});
  auto records = EndedBeforeTheBoot(pod, 137);
  records.push_back({.pod_uid = "u", .name = "i", .attempt = 1, .exit = ContainerExit{}});
  Bench half(pod);
  half.worker.Adopt(records, half.now());
  EXPECT_THAT(half.Commands(), ElementsAre("start u/a#1 oom=1000"));
  records.push_back({.pod_uid = "u", .name = "a", .attempt = 1});
  Bench whole(pod);
  whole.worker.Adopt(records, whole.now());
  EXPECT_THAT(whole.Commands(), IsEmpty());
  EXPECT_TRUE(whole.Status().Find("Initialized")->status);
}

TEST(PodWorker, NoInitContainerRunsAgainInAPodThatHasNothingLeftToRun) {
  const std::pair<RestartPolicy, int> cases[] = {
      {RestartPolicy::kNever, 137}, {RestartPolicy::kNever, 0}, {RestartPolicy::kOnFailure, 0}};
  for (const auto& [policy, exit_code] : cases) {
    Pod pod = PodOf({Named("i")}, {Named("a")});
    pod.restart_policy = policy;
    Bench bench(pod);
    bench.worker.Adopt(EndedBeforeTheBoot(pod, exit_code), bench.now());
    EXPECT_THAT(bench.Commands(), IsEmpty());
    EXPECT_EQ(bench.Status().phase, exit_code == 0 ? PodPhase::kSucceeded : PodPhase::kFailed);
  }
}

TEST(PodWorker, AStartThatWasCutShortIsMadeUpForUnderTheNextAttempt) {
  Pod pod = PodOf({Named("i")}, {Named("a"), Named("b")});
  pod.restart_policy = RestartPolicy::kNever;
  Bench bench(std::move(pod));
  bench.worker.Adopt(
      {{.pod_uid = "u", .name = "a", .attempt = 0, .created = Instant{}, .never_ran = true},
       {.pod_uid = "u", .name = "b", .attempt = 0, .created = Instant{}, .exit = ContainerExit{}}},
      bench.now());
  EXPECT_THAT(bench.Commands(), ElementsAre("start u/a#1 oom=1000"));
  EXPECT_EQ(bench.Deliver().Status().phase, PodPhase::kRunning);
}

TEST(PodWorker, OfARecalledPodNothingIsStartedBeforeTheRuntimeHasToldAll) {
  Bench bench(PodOf({}, {Named("a"), Named("b")}));
  const ContainerRecord running = {.pod_uid = "u", .name = "a", .attempt = 1, .created = Instant{}};
  bench.worker.Recall({running}, bench.now());
  bench.Pass(minutes(10));
  EXPECT_THAT(bench.Commands(), IsEmpty());
  EXPECT_EQ(bench.Status().phase, PodPhase::kRunning);
  EXPECT_TRUE(bench.worker.IsCandidate());
  ContainerRecord before = running;
  before.attempt = 0;
  before.exit = ContainerExit{};
  bench.worker.Adopt({before, running}, bench.now());
  EXPECT_THAT(bench.Commands(), ElementsAre("start u/b#0 oom=1000"));
  EXPECT_EQ(bench.Status().containers[0].restart_count, 1);
  EXPECT_THAT(bench.worker.dead_runs(), testing::SizeIs(1));
}

TEST(PodWorker, EventsOfOtherRunsChangeNothing) {
  Bench bench(PodOf({}, {Named("a")}));
  bench.Start().Commands();
  bench.runtime.Push(ContainerExited{"u", "a", 7, {}});
  EXPECT_THAT(bench.Deliver().Commands(), IsEmpty());
  EXPECT_EQ(bench.Status().phase, PodPhase::kRunning);
}

// Its container is in back-off, which only the kubelet ends, beside a sidecar that runs.
TEST(PodWorker, InSomebodyElsesPodNothingIsStartedOrEndedByItself) {
  Pod pod = PodOf({Sidecar("log")}, {Named("main")});
  pod.restart_policy = RestartPolicy::kNever;
  Bench bench(pod, PodOrigin::kRuntime);
  bench.worker.Adopt({{.pod_uid = "u", .name = "log"}, {.pod_uid = "u", .name = "main"}},
                     bench.now());
  EXPECT_THAT(bench.Commands(), IsEmpty());
  bench.worker.Handle(ContainerExited{.pod_uid = "u", .container = "main"}, bench.now());
  bench.Pass(minutes(10));
  EXPECT_THAT(bench.Commands(), IsEmpty());
  bench.worker.Handle(ContainerExited{.pod_uid = "u", .container = "log"}, bench.now());
  EXPECT_EQ(bench.worker.NextDeadline(), std::nullopt);
  bench.Pass(minutes(10));
  EXPECT_THAT(bench.Commands(), IsEmpty());
}

}  // namespace
}  // namespace jettison
