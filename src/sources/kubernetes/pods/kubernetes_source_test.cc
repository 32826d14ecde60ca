#include "sources/kubernetes/pods/kubernetes_source.h"

#include <gmock/gmock.h>

#include <csignal>

#include "sources/kubernetes/pods/testing/pods_test_bed.h"

namespace jettison::kube {
namespace {

using namespace testing;

std::string RuncInit() {
  return {"runc\0init\0", 10};
}

FakeCgroups::SentSignal SignalOf(const std::string& group, pid_t pid, int signal) {
  return {.path = group, .pid = pid, .signal = signal};
}

class KubernetesPods : public KubernetesSourceTest {
 protected:
  // The pod u1 runs, and the cluster says so.
  void RunFirst() {
    Run("u1", "c1", 41);
    feed_.Tell({.uid = "u1", .container_id = "c1"});
  }
  // It is killed, and all that ran of it has ended.
  void EndFirst() {
    roster_.Find("u1")->KillContainer("main");
    End(41);
    roster_.Find("u1")->Remove();
    Turn();
  }
};

TEST_F(KubernetesPods, WhatRunsIsFoundInTheKubeletsTreeAndItsFilesWhereTheKubeletHasThem) {
  RunFirst();
  ASSERT_EQ(found_.size(), 1U);
  const RuntimePod& found = found_.front();
  EXPECT_TRUE(found.foreign);
  EXPECT_EQ(found.origin, PodOrigin::kKubernetes);
  EXPECT_FALSE(found.spared);
  EXPECT_EQ(found.pod.name, "web-u1");
  EXPECT_EQ(found.pod.priority, 5);
  EXPECT_EQ(found.pod.termination_grace_period_seconds, 7);
  ASSERT_EQ(found.containers.size(), 1U);
  EXPECT_EQ(found.containers[0].attempt, 2);
  const ForeignPod* pod = roster_.Find("u1");
  ASSERT_NE(pod, nullptr);
  EXPECT_THAT(pod->groups(), ElementsAre("kubepods/burstable/podu1"));
  EXPECT_EQ(pod->GroupOf("main"), "kubepods/burstable/podu1/c1");
  const PodDisk disk = pod->Disk();
  ASSERT_EQ(disk.containers.size(), 1U);
  EXPECT_EQ(disk.containers[0].logs, "/var/log/pods/default_web-u1_u1/main");
  EXPECT_EQ(disk.containers[0].layer, "/l");
  ASSERT_EQ(disk.empty_dirs.size(), 2U);
  EXPECT_EQ(disk.empty_dirs[0].path,
            "/var/lib/kubelet/pods/u1/volumes/kubernetes.io~empty-dir/scratch");
  EXPECT_FALSE(disk.empty_dirs[0].memory);
  EXPECT_TRUE(disk.empty_dirs[1].memory);
}

TEST_F(KubernetesPods, AContainerThatWasStartedAgainIsFoundAgain) {
  RunFirst();
  End(41);
  EXPECT_THAT(Removed(), ElementsAre("u1"));
  Run("u1", "c2", 42);  // its status still shows the previous run
  ASSERT_TRUE(AwaitFound(2));
  ASSERT_EQ(found_[1].containers.size(), 1U);
  EXPECT_EQ(found_[1].containers[0].attempt, 3);
  feed_.Tell({.uid = "u1", .container_id = "c2"});
  EXPECT_THAT(FoundUids(), ElementsAre("u1", "u1"));
  EXPECT_EQ(roster_.Find("u1")->GroupOf("main"), "kubepods/burstable/podu1/c2");
}

// As after `kubectl delete --force --grace-period=0`.
TEST_F(KubernetesPods, OneWhoseObjectIsGoneIsKeptWhileItsProcessesRun) {
  RunFirst();
  feed_.TellGone("u1");
  EXPECT_THAT(Removed(), IsEmpty());
  ASSERT_NE(roster_.Find("u1"), nullptr);
  EXPECT_EQ(roster_.Find("u1")->GroupOf("main"), "kubepods/burstable/podu1/c1");
  End(41);
  EXPECT_THAT(Removed(), ElementsAre("u1"));
  EXPECT_EQ(roster_.Find("u1"), nullptr);
}

TEST_F(KubernetesPods, OneWhoseObjectIsGoneCanBeEvictedAndIsForgottenThen) {
  RunFirst();
  feed_.TellGone("u1");
  EndFirst();
  EXPECT_THAT(Removed(), ElementsAre("u1"));
  EXPECT_EQ(cgroups_.LimitsOf("kubepods/burstable/podu1").pids_max, 0);
  EXPECT_TRUE(Await([&] { return LooksAtNothing(); }));
}

TEST_F(KubernetesPods, WhatRunsIsFoundBeforeItsStatusIsTold) {
  feed_.Tell({.uid = "u1"});
  EXPECT_THAT(FoundUids(), IsEmpty());
  Run("u1", "c1", 41);
  ASSERT_TRUE(AwaitFound(1));
  EXPECT_EQ(roster_.Find("u1")->GroupOf("main"), "kubepods/burstable/podu1/c1");
  feed_.Tell({.uid = "u1", .container_id = "c1"});
  EXPECT_THAT(FoundUids(), ElementsAre("u1"));
  EXPECT_THAT(Removed(), IsEmpty());
}

TEST_F(KubernetesPods, OneThatIsResizedIsFoundWithWhatItAsksForNow) {
  RunFirst();
  (void)FoundUids();
  feed_.Tell({.uid = "u1", .container_id = "c1", .memory = "20Mi"});
  EXPECT_THAT(Removed(), ElementsAre("u1"));
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_EQ(found_[0].pod.containers[0].resources.requests.at("memory").ToString(), "20Mi");
}

TEST_F(KubernetesPods, WhatCannotBeReadStaysAsItWas) {
  RunFirst();
  const Error busy{ErrorCode::kUnavailable, "too many open files"};
  cgroups_.FailOn(FakeCgroups::Operation::kRead, "kubepods/burstable/podu1", busy);
  cgroups_.FailOn(FakeCgroups::Operation::kRead, "kubepods/burstable/podu1/c1", busy);
  feed_.Tell({.uid = "u1", .container_id = "c1"});
  EXPECT_THAT(Removed(), IsEmpty());
  EXPECT_NE(roster_.Find("u1"), nullptr);
}

TEST_F(KubernetesPods, WhatIsBeingMadeIsAwaited) {
  Start("kubepods/burstable/podu1/sandboxofu1", 40);
  Start("kubepods/burstable/podu1/c1", 41);
  processes_.SetName(41, "runc:[2:INIT]");
  feed_.Tell({.uid = "u1"});
  EXPECT_THAT(FoundUids(), IsEmpty());
  processes_.SetName(41, "program");
  ASSERT_TRUE(AwaitFound(1));
}

// Until it has been told what to make, the first stage of runc has no name of its own.
TEST_F(KubernetesPods, TheFirstStageOfRuncIsNotTakenForTheContainer) {
  Start("kubepods/burstable/podu1/sandboxofu1", 40);
  Start("kubepods/burstable/podu1/c1", 41);
  processes_.SetName(41, "exe");
  processes_.SetCommandLine(41, RuncInit());
  feed_.Tell({.uid = "u1"});
  feed_.Tell({.uid = "u1"});
  EXPECT_THAT(FoundUids(), IsEmpty());
  Start("kubepods/burstable/podu1/c1", 42);
  processes_.End(41, 0);
  cgroups_.ProcessExited(41);
  ASSERT_TRUE(AwaitFound(1));
  EXPECT_THAT(Removed(), IsEmpty());
}

TEST_F(KubernetesPods, AContainerThatWentOnAsAnotherProcessHasNotEnded) {
  RunFirst();
  Start("kubepods/burstable/podu1/c1", 42);  // what 41 has made
  End(41);
  EXPECT_EQ(roster_.Find("u1")->GroupOf("main"), "kubepods/burstable/podu1/c1");
  std::vector<pid_t> signalled;
  processes_.on_signal = [&](pid_t pid, int) { signalled.push_back(pid); };
  ASSERT_TRUE(Await([&] {
    roster_.Find("u1")->StopContainer("main", std::chrono::seconds(1));
    return !signalled.empty();
  }));
  EXPECT_THAT(signalled, ElementsAre(42));
  EXPECT_THAT(Removed(), IsEmpty());
  roster_.Find("u1")->Remove();
  End(42);
  EXPECT_THAT(Removed(), ElementsAre("u1"));
}

TEST_F(KubernetesPods, AContainerIsKilledWhileItIsNotKnownWhatItGoesOnAs) {
  RunFirst();
  Start("kubepods/burstable/podu1/c1", 42);
  End(41);
  roster_.Find("u1")->Remove();
  ASSERT_TRUE(Await([&] { return roster_.Find("u1") == nullptr; }));
  EXPECT_THAT(cgroups_.signals(),
              ElementsAre(SignalOf("kubepods/burstable/podu1/c1", 42, SIGKILL)));
}

TEST_F(KubernetesPods, WhatProcHidesOrWhoseFirstThreadHasEndedIsFoundByItsGroup) {
  Run("u1", "c1", 41);
  processes_.Hide(41);
  Run("u2", "c2", 42);
  processes_.EndFirstThread(42);
  feed_.Tell({.uid = "u1", .container_id = "c1"});
  feed_.Tell({.uid = "u2", .container_id = "c2"});
  EXPECT_THAT(FoundUids(), ElementsAre("u1", "u2"));
  EXPECT_EQ(roster_.Find("u2")->GroupOf("main"), "kubepods/burstable/podu2/c2");
  EXPECT_THAT(Removed(), IsEmpty());
  End(41);
  EXPECT_THAT(Removed(), ElementsAre("u1"));
}

TEST_F(KubernetesPods, TheAgentsOwnPodIsPassedOverWithoutAWord) {
  Run("u1", "c1", 41);
  Run("u2", "c2", 42);
  processes_.Add(::getpid(), "0::/kbed/kubepods/burstable/podu1/c1\n", "");
  feed_.Tell({.uid = "u1", .container_id = "c1"});
  feed_.Tell({.uid = "u2", .container_id = "c2"});
  EXPECT_THAT(FoundUids(), ElementsAre("u2"));
  EXPECT_THAT(logged_, IsEmpty());
}

TEST_F(KubernetesPods, WhileTheAgentsOwnGroupCannotBeReadNoPodIsTakenForAnothers) {
  Run("u1", "c1", 41);
  Run("u2", "c2", 42);
  processes_.Add(::getpid(), "0::/kbed/kubepods/burstable/podu1/c1\n", "");
  processes_.reads_own = false;
  feed_.Tell({.uid = "u1", .container_id = "c1"});
  feed_.Tell({.uid = "u2", .container_id = "c2"});
  EXPECT_THAT(FoundUids(), IsEmpty());
  EXPECT_THAT(logged_, Each(HasSubstr("cannot read its own control group now")));
  processes_.reads_own = true;
  ASSERT_TRUE(AwaitFound(1)) << "it looks again by itself";
  EXPECT_THAT(FoundUids(), ElementsAre("u2"));
}

TEST_F(KubernetesPods, OfAContainersProcessesTheFirstIsTaken) {
  Run("u1", "c1", 41);
  Run("u1", "c1", 17);  // it joined later, although its id is lower
  feed_.Tell({.uid = "u1", .container_id = "c1"});
  std::vector<pid_t> signalled;
  processes_.on_signal = [&](pid_t pid, int) { signalled.push_back(pid); };
  roster_.Find("u1")->StopContainer("main", std::chrono::seconds(1));
  EXPECT_THAT(signalled, ElementsAre(41));
}

TEST_F(KubernetesPods, APodThatWasKilledIsHeldAndNotTakenAgain) {
  RunFirst();
  ForeignPod& pod = *roster_.Find("u1");
  pod.StopContainer("main", std::chrono::seconds(1));
  EXPECT_FALSE(cgroups_.LimitsOf("kubepods/burstable/podu1").pids_max);  // it may have to fork
  pod.KillContainer("main");
  Turn();
  EXPECT_EQ(cgroups_.LimitsOf("kubepods/burstable/podu1").pids_max, 0);
  End(41);
  Turn();
  pod.Remove();
  Turn();
  EXPECT_THAT(Removed(), ElementsAre("u1"));
  (void)FoundUids();
  feed_.Tell({.uid = "u1", .container_id = "c2"});
  EXPECT_THAT(FoundUids(), IsEmpty());
}

TEST_F(KubernetesPods, APodWhoseEvictionWasGivenUpIsFoundWhenItRunsAgain) {
  RunFirst();
  EndFirst();
  EXPECT_THAT(FoundUids(), ElementsAre("u1"));
  ASSERT_TRUE(cgroups_.Create("kubepods/burstable/podu1", {.pids_max = 1000}));
  feed_.TellGivenUp("u1");
  EXPECT_THAT(FoundUids(), IsEmpty());
  Run("u1", "c2", 42);
  feed_.Tell({.uid = "u1", .container_id = "c2"});
  EXPECT_THAT(FoundUids(), ElementsAre("u1"));
  feed_.TellGivenUp("unknown");
}

// As an agent leaves it that is killed before it has recorded the eviction.
TEST_F(KubernetesPods, OneThatIsHeldAndThatThisAgentHasNotEndedIsReportedOnceAndFoundWhenItRuns) {
  const std::string group = "kubepods/burstable/podu1";
  ASSERT_TRUE(cgroups_.Create(group, {.pids_max = 0}));
  ASSERT_TRUE(cgroups_.Create("kubepods/burstable/podu2", {.pids_max = 1000}));
  feed_.Tell({.uid = "u1"});
  feed_.Tell({.uid = "u2"});
  feed_.Tell({.uid = "u3"});
  EXPECT_THAT(feed_.TakeHeldGroups(), ElementsAre(group));
  EXPECT_THAT(feed_.TakeHeldGroups(), IsEmpty());
  ASSERT_TRUE(cgroups_.Create(group, {.pids_max = 1000}));
  RunFirst();
  EXPECT_THAT(FoundUids(), ElementsAre("u1"));
}

TEST_F(KubernetesPods, OneThatIsEvictedOrBeingDeletedStaysHeld) {
  RunFirst();
  EXPECT_THAT(feed_.TakeHeldGroups(), IsEmpty());
  EndFirst();
  ASSERT_EQ(cgroups_.LimitsOf("kubepods/burstable/podu1").pids_max, 0);
  ASSERT_TRUE(cgroups_.Create("kubepods/burstable/podu2", {.pids_max = 0}));
  feed_.Tell({.uid = "u2", .is_deleted = true});
  ASSERT_TRUE(cgroups_.Create("kubepods/burstable/podu3", {.pids_max = 0}));
  feed_.Tell({.uid = "u3", .phase = "Failed"});
  EXPECT_THAT(feed_.TakeHeldGroups(), IsEmpty());
  feed_.Tell({.uid = "u1", .container_id = "c1"});
  EXPECT_THAT(feed_.TakeHeldGroups(), ElementsAre("kubepods/burstable/podu1")) << "not deleted";
  EXPECT_EQ(cgroups_.LimitsOf("kubepods/burstable/podu1").pids_max, 0);
}

TEST_F(KubernetesPods, WhatTheKubeletStartsAfterThePodIsDownIsKilledForAsLongAsTheGroupIsThere) {
  RunFirst();
  EndFirst();
  EXPECT_THAT(FoundUids(), ElementsAre("u1"));
  std::vector<pid_t> killed;
  cgroups_.OnSignal([&](pid_t pid, int) { killed.push_back(pid); });
  Run("u1", "c2", 42);
  ASSERT_TRUE(Await([&] { return killed.size() == 1; }));
  Run("u1", "c3", 43);
  ASSERT_TRUE(Await([&] { return killed.size() == 2; }));
  EXPECT_THAT(killed, ElementsAre(42, 43));
  EXPECT_THAT(FoundUids(), IsEmpty());
}

TEST_F(KubernetesPods, AGroupThatCannotBeHeldIsTriedAgainAndSaidOnce) {
  cgroups_.FailOn(FakeCgroups::Operation::kCreate, "kubepods/burstable/podu1",
                  {ErrorCode::kUnavailable, "busy"});
  RunFirst();
  EndFirst();
  EXPECT_THAT(FoundUids(), ElementsAre("u1"));
  for (int i = 0; i < 3; ++i) feed_.Tell({.uid = "u1"});
  EXPECT_THAT(logged_, ElementsAre(HasSubstr("hold the group")));
  cgroups_.ClearFailures();
  ASSERT_TRUE(Await([&] { return cgroups_.LimitsOf("kubepods/burstable/podu1").pids_max == 0; }));
}

// CRI-O with conmon_cgroup = "pod", as in OpenShift.
TEST_F(KubernetesPods, ConmonIsNoContainerAndIsNotKilled) {
  const std::string group = "kubepods/burstable/podu1";
  Start(group + "/crio-conmon-0a.scope", 38);
  Start(group + "/crio-0a.scope", 39);  // the sandbox
  Start(group + "/crio-conmon-0b.scope", 40);
  Start(group + "/crio-0b.scope", 41);
  feed_.Tell({.uid = "u1"});
  ASSERT_TRUE(AwaitFound(1));
  EXPECT_EQ(roster_.Find("u1")->GroupOf("main"), group + "/crio-0b.scope");
  roster_.Find("u1")->KillContainer("main");
  Start(group + "/crio-conmon-0c.scope", 42);
  Start(group + "/crio-0c.scope", 43);  // which the kubelet has started again
  End(41);
  EXPECT_THAT(cgroups_.signals(), ElementsAre(SignalOf(group + "/crio-0b.scope", 41, SIGKILL),
                                              SignalOf(group + "/crio-0c.scope", 43, SIGKILL)));
}

TEST_F(KubernetesPods, AJobIsKilledWithoutBeingAskedUnlessThatIsConfigured) {
  std::vector<int> signals;
  processes_.on_signal = [&](pid_t, int signal) { signals.push_back(signal); };
  Run("u1", "c1", 41);
  feed_.Tell({.uid = "u1", .container_id = "c1", .owner = "Job"});
  const KubernetesSource asks(feed_, {dependencies_, groups_, roster_},
                              {.jobs = JobEnding::kTerminate});
  Run("u2", "c2", 42);
  feed_.Tell({.uid = "u2", .container_id = "c2", .owner = "Job"});
  ASSERT_EQ(found_.size(), 2U);
  EXPECT_TRUE(found_[0].kill_at_once);
  EXPECT_FALSE(found_[1].kill_at_once);
  for (const char* uid : {"u1", "u2"}) {
    roster_.Find(uid)->StopContainer("main", std::chrono::seconds(1));
  }
  EXPECT_THAT(signals, ElementsAre(SIGKILL, SIGTERM));
}

TEST_F(KubernetesPods, ADaemonIsEvictedWhereThatIsConfigured) {
  const KubernetesSource source(feed_, {dependencies_, groups_, roster_},
                                {.evict_daemon_sets = true});
  Run("u1", "c1", 41);
  feed_.Tell({.uid = "u1", .container_id = "c1", .owner = "DaemonSet"});
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_FALSE(found_[0].spared);
}

TEST_F(KubernetesPods, OneThatIsNotFullyUnderstoodIsSparedAndThatIsSaidOnce) {
  Run("u1", "c1", 41);
  feed_.Tell({.uid = "u1", .container_id = "c1", .security = R"({"privileged":"maybe"})"});
  feed_.Tell({.uid = "u1", .container_id = "c1", .security = R"({"privileged":"maybe"})"});
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_TRUE(found_[0].spared);
  EXPECT_THAT(logged_, ElementsAre(AllOf(HasSubstr("pod default/web-u1 is not evicted"),
                                         HasSubstr("securityContext.privileged"))));
}

TEST_F(KubernetesPods, AStaticPodIsFoundByItsHashAndSpared) {
  Run("hash1", "c1", 41);
  feed_.Tell({.uid = "u1",
              .container_id = "c1",
              .annotations = R"({"kubernetes.io/config.mirror":"hash1"})"});
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_TRUE(found_[0].spared);
  EXPECT_EQ(roster_.Find("u1")->GroupOf("main"), "kubepods/burstable/podhash1/c1");
}

}  // namespace
}  // namespace jettison::kube
