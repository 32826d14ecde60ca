// The agent beside a real kubelet: what it evicts goes, stays away, and is told to the cluster;
// images that the kubelet uses stay.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "tests/kubernetes/live_control_plane.h"
#include "tests/live/program.h"

namespace jettison::kube {
namespace {

using testing::HasSubstr;
using testing::Not;

// The bed's groups are made a node of this size, so that what others do on the machine counts for
// nothing.
constexpr int kNodeMiB = 2048;
constexpr int kHogMiB = 1536;
constexpr int kThresholdMiB = 1024;

// What the bed's agent may not.
constexpr const char* kMayTaint =
    "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: may-taint}\n"
    "rules: [{apiGroups: [''], resources: [nodes], verbs: [patch]}]\n---\n"
    "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\n"
    "metadata: {name: may-taint}\n"
    "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: may-taint}\n"
    "subjects: [{kind: ServiceAccount, name: jettison, namespace: jettison-system}]\n";

class LiveAgentBesideKubelet : public testing::Test {
 protected:
  // `kubelet`: keys of its configuration.
  explicit LiveAgentBesideKubelet(const std::string& kubelet = "") : plane_(kubelet) {}
  void SetUp() override {
    if (!plane_.missing().empty()) GTEST_SKIP() << plane_.missing();
    ASSERT_EQ(plane_.Apply(kMayTaint).status, 0);
    ASSERT_EQ(plane_.Apply(Deployment("idle", "pause")).status, 0);
    ASSERT_TRUE(Until([&] { return Running("idle") == 1; }));
  }
  // `thresholds`: of a KubeletConfiguration; empty: they are the kubelet's and a margin. `kubelet`:
  // the file of the kubelet's own.
  void StartAgent(const std::string& thresholds =
                      fmt::format("evictionHard: {{memory.available: {}Mi}}\n", kThresholdMiB),
                  int node_mebibytes = kNodeMiB, const std::string& kubelet = "conf/kubelet.yaml") {
    const std::string group = plane_.MakeNode(node_mebibytes);
    std::ofstream(plane_.Path("agent.yaml")) << fmt::format(
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
        "{3}kernelMemcgNotification: true\n"
        "{2}evictionPressureTransitionPeriod: 5s\n---\n"
        "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\nsource: kubernetes\n"
        "nodeName: bed\nnodeCgroup: {0}\nroot: {1}/agent\nhttp: {{socket: ''}}\n"
        "kubernetes: {{kubeconfig: {1}/agent.kubeconfig, kubeletDirectory: {1}/kubelet, "
        "kubeletConfiguration: '{4}'}}\n",
        group, plane_.folder(), thresholds, group == "/" ? "" : "cgroupRoot: /\n",
        kubelet.empty() ? "" : plane_.folder() + "/" + kubelet);
    agent_ = std::make_unique<Program>(
        std::vector<std::string>{JETTISON_BINARY, "run", "--config", plane_.Path("agent.yaml")},
        std::vector<std::string>{});
    ASSERT_TRUE(agent_->ReadUntil("agent is ready")) << agent_->output();
  }
  void StartHog() {
    ASSERT_EQ(plane_.Apply(Deployment("hog", fmt::format("hog, '{}'", kHogMiB))).status, 0);
    ASSERT_TRUE(agent_->ReadUntil("pod is evicted successfully")) << agent_->output();
  }
  // The API server is gone when the deployment "hog" uses up the memory. Returns when the agent has
  // ended what it ended for that, and the kubelet has had the time to start it again.
  void EvictTheHogWithoutTheApiServer(const std::string& deployment) {
    ASSERT_EQ(plane_.Apply(deployment).status, 0);
    ASSERT_TRUE(agent_->ReadUntil("foreign pod found\" pod=default/hog")) << agent_->output();
    plane_.KillApiServer();
    ASSERT_TRUE(agent_->ReadUntil("pods were cleaned up")) << agent_->output();
    ::poll(nullptr, 0, 3000);
  }
  [[nodiscard]] std::string Ask(const std::string& what) const { return plane_.Ask(what); }
  [[nodiscard]] int Running(const std::string& app) const {
    const std::string names =
        Ask("get pods -l app=" + app + " --field-selector=status.phase=Running -o name");
    return static_cast<int>(std::count(names.begin(), names.end(), '\n'));
  }

  LiveControlPlane plane_;
  std::unique_ptr<Program> agent_;
};

TEST_F(LiveAgentBesideKubelet, TheGuiltyPodGoesAndNoOtherAndItsReplacementWaits) {
  StartAgent();
  StartHog();
  EXPECT_THAT(agent_->output(), HasSubstr("pod=default/hog-"));
  ASSERT_TRUE(agent_->ReadUntil("the API server deletes an evicted pod")) << agent_->output();
  EXPECT_EQ(
      RunShell(fmt::format("ss -Htnp state established | grep -c pid={},", agent_->pid())).output,
      "1\n")
      << "all goes over one connection";
  // The first one is gone, and what was made in its stead was kept off the node.
  ASSERT_TRUE(Until([&] {
    const std::string pods = Ask("get pods -l app=hog --no-headers");
    return std::count(pods.begin(), pods.end(), '\n') == 1;
  }));
  EXPECT_EQ(Running("idle"), 1);
  EXPECT_THAT(Ask("get pods -l app=hog --no-headers"), HasSubstr("Pending"));
  EXPECT_THAT(Ask("get node bed -o jsonpath='{.spec.taints}'"),
              HasSubstr("jettison.io/memory-pressure"));
  EXPECT_THAT(Ask("get events --field-selector=reason=Evicted"), HasSubstr("hog-"));
  EXPECT_THAT(Ask("get events --field-selector=reason=EvictionThresholdMet"),
              HasSubstr("node/bed"));
  EXPECT_EQ(Ask("get pods --field-selector=status.phase=Failed -o name"), "");
  // The pressure is over soon, and with it the taint.
  agent_->Signal(SIGTERM);
  EXPECT_EQ(agent_->Wait(), 0);
  EXPECT_THAT(Ask("get node bed -o jsonpath='{.spec.taints}'"), Not(HasSubstr("jettison.io")));
}

TEST_F(LiveAgentBesideKubelet, WithoutTheApiServerThePodStaysDownAndIsDeletedOnceItIsBack) {
  StartAgent();
  EvictTheHogWithoutTheApiServer(Deployment("hog", fmt::format("hog, '{}'", kHogMiB)));
  EXPECT_EQ(RunShell("pgrep -f '^/app hog'").output, "") << agent_->output();
  EXPECT_THAT(agent_->output(), HasSubstr("evicted successfully\" pod=default/hog-"));
  EXPECT_THAT(agent_->output(), Not(HasSubstr("evicted successfully\" pod=default/idle-")));
  ASSERT_EQ(plane_.StartAgain().status, 0);
  ASSERT_TRUE(agent_->ReadUntil("the API server deletes an evicted pod\" pod=default/hog-"))
      << agent_->output();
}

// The hog ends when it is asked, the other container one second later, when it is killed.
TEST_F(LiveAgentBesideKubelet, WhatTheKubeletStartsAgainInAGracePeriodEndsWithThePod) {
  StartAgent();
  std::string deployment = Deployment("hog", fmt::format("hog, '{}'", kHogMiB));
  const std::string_view first = "containers: [";
  deployment.insert(deployment.find(first) + first.size(),
                    "{name: slow, image: 'bed.local/app:1', args: [ignoreterm]}, ");
  EvictTheHogWithoutTheApiServer(deployment);
  EXPECT_EQ(RunShell("pgrep -f '^/app (hog|ignoreterm)'").output, "") << agent_->output();
  EXPECT_THAT(agent_->output(), Not(HasSubstr("evicted successfully\" pod=default/idle-")));
}

TEST_F(LiveAgentBesideKubelet, AJobThatLeavesDisruptionsOutOfItsCountGoesOn) {
  StartAgent();
  const std::string job = JobThatIgnoresDisruptions(
      "hog", "{restartPolicy: Never, " + PodSpec(fmt::format("hog, '{}'", kHogMiB)).substr(1));
  ASSERT_EQ(plane_.Apply(job).status, 0);
  ASSERT_TRUE(agent_->ReadUntil("the API server deletes an evicted pod")) << agent_->output();
  ASSERT_TRUE(Until([&] {
    return Ask("get job hog -o jsonpath='{.status.uncountedTerminatedPods}{.status.failed}'") ==
           "{}";
  })) << Ask("get job hog -o yaml");
  EXPECT_THAT(Ask("get job hog -o jsonpath='{.status.conditions}'"), Not(HasSubstr("Failed")));
}

// It leaves the limits of volumes to the agent.
class LiveAgentBesideLaxKubelet : public LiveAgentBesideKubelet {
 protected:
  LiveAgentBesideLaxKubelet() : LiveAgentBesideKubelet("localStorageCapacityIsolation: false\n") {}
};

// As k3s's, which evicts for disks alone and has no file of its own.
class LiveAgentBesideKubeletOfFlags : public LiveAgentBesideKubelet {
 protected:
  LiveAgentBesideKubeletOfFlags()
      : LiveAgentBesideKubelet("evictionHard: {nodefs.available: 1%}\n") {}
};

TEST_F(LiveAgentBesideKubeletOfFlags, ItIsAskedAndMemoryIsGuardedByAThresholdOfOurs) {
  ASSERT_EQ(plane_.Kubectl("apply -f '" JETTISON_PACKAGING "/components/configz/rbac.yaml'").status,
            0);
  ASSERT_TRUE(Until([&] {
    return Ask("auth can-i get nodes --subresource=configz "
               "--as=system:serviceaccount:jettison-system:jettison")
               .find("yes") != std::string::npos;
  }));
  StartAgent("", kNodeMiB, "");
  EXPECT_THAT(agent_->output(), HasSubstr("so the agent has one of its own, 356Mi"));
  ASSERT_EQ(plane_.Apply(Deployment("hog", "hog, '1800'")).status, 0);
  ASSERT_TRUE(agent_->ReadUntil("pod is evicted successfully\" pod=default/hog-"))
      << agent_->output();
  EXPECT_EQ(Running("idle"), 1);
}

// What a pod exceeds of its own is its own failure, and no disruption.
TEST_F(LiveAgentBesideLaxKubelet, AJobWhosePodExceedsItsVolumeFails) {
  StartAgent(
      fmt::format("evictionHard: {{memory.available: {}Mi}}\nlocalStorageCapacityIsolation: true\n",
                  kThresholdMiB));
  const std::string job = JobThatIgnoresDisruptions(
      "writer",
      "{restartPolicy: Never, hostNetwork: true, automountServiceAccountToken: false, "
      "terminationGracePeriodSeconds: 1, "
      "containers: [{name: c, image: 'bed.local/app:1', args: [file, '16', /scratch/f], "
      "volumeMounts: [{name: scratch, mountPath: /scratch}]}], "
      "volumes: [{name: scratch, emptyDir: {sizeLimit: 4Mi}}]}");
  ASSERT_EQ(plane_.Apply(job).status, 0);
  ASSERT_TRUE(agent_->ReadUntil("pod is evicted successfully\" pod=default/writer-"))
      << agent_->output();
  ASSERT_TRUE(Until([&] {
    return Ask("get job writer -o jsonpath='{.status.conditions[*].type}'").find("Failed") !=
           std::string::npos;
  })) << Ask("get job writer -o yaml")
      << agent_->output();
  EXPECT_THAT(Ask("get job writer -o jsonpath='{.status.conditions[*].reason}'"),
              HasSubstr("BackoffLimitExceeded"));
}

constexpr const char* kSoftThreshold =
    "evictionHard: {memory.available: 400Mi}\nevictionSoft: {memory.available: 1024Mi}\n"
    "evictionSoftGracePeriod: {memory.available: 2s}\nevictionMaxPodGracePeriod: 5\n";

// The program of the Job ends well when it is asked to end; the memory is its sidecar's.
TEST_F(LiveAgentBesideKubelet, ASoftEvictionCompletesNoJob) {
  StartAgent(kSoftThreshold);
  const std::string job = JobThatIgnoresDisruptions(
      "hog",
      "{restartPolicy: Never, initContainers: [{name: side, restartPolicy: Always, "
      "image: 'bed.local/app:1', args: [hog, '1200']}], " +
          PodSpec("pause, '0'").substr(1));
  ASSERT_EQ(plane_.Apply(job).status, 0);
  ASSERT_TRUE(agent_->ReadUntil("pod is evicted successfully\" pod=default/hog-"))
      << agent_->output();
  // The Job is over, or has made another pod.
  const std::string first = Ask("get pods -l app=hog -o name");
  const std::string conditions = "get job hog -o jsonpath='{.status.conditions}'";
  ASSERT_TRUE(Until([&] {
    const std::string pods = Ask("get pods -l app=hog -o name");
    return !Ask(conditions).empty() || (!pods.empty() && pods.find(first) == std::string::npos);
  }));
  EXPECT_EQ(Ask(conditions), "") << Ask("get job hog -o yaml");
}

// A pod that nothing makes again. It holds so much memory, and requests as `requests` says.
std::string Holding(const std::string& name, int mebibytes, const std::string& requests = "{}") {
  return fmt::format(
      "apiVersion: v1\nkind: Pod\nmetadata: {{name: {0}, labels: {{app: {0}}}}}\n"
      "spec: {{hostNetwork: true, automountServiceAccountToken: false, containers: [{{name: c, "
      "image: 'bed.local/app:1', args: [hog, '{1}'], resources: {2}}}]}}\n",
      name, mebibytes, requests);
}

std::string BudgetFor(const std::string& app) {
  return fmt::format(
      "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: {0}}}\n"
      "spec: {{minAvailable: 1, selector: {{matchLabels: {{app: {0}}}}}}}\n",
      app);
}

TEST_F(LiveAgentBesideKubelet, ABudgetSparesThePodFromASoftThresholdAndNotFromAHardOne) {
  ASSERT_EQ(plane_.Apply(BudgetFor("big")).status, 0);
  ASSERT_EQ(plane_.Apply(Deployment("big", "hog, '900'")).status, 0);
  ASSERT_TRUE(
      Until([&] { return Ask("get pdb big -o jsonpath='{.status.currentHealthy}'") == "1"; }));
  StartAgent(kSoftThreshold);
  ASSERT_EQ(plane_.Apply(Holding("small", 300)).status, 0);
  ASSERT_TRUE(agent_->ReadUntil("pod is evicted successfully\" pod=default/small"))
      << agent_->output();
  EXPECT_THAT(agent_->output(), HasSubstr("spared by soft thresholds\" pod=default/big-"));
  EXPECT_THAT(agent_->output(), HasSubstr("The disruption budget big needs 1 healthy pods"));
  EXPECT_THAT(agent_->output(), Not(HasSubstr("evicted successfully\" pod=default/big-")));
  ASSERT_TRUE(agent_->ReadUntil("pods were cleaned up")) << agent_->output();
  EXPECT_EQ(Running("big"), 1);
  EXPECT_THAT(Ask("get events --field-selector=reason=SoftEvictionRefused"), HasSubstr("big-"));
  // The hard line, which no budget counts for. The larger one is still the one that goes.
  ASSERT_EQ(plane_.Apply(Holding("push", 850)).status, 0);
  ASSERT_TRUE(agent_->ReadUntil("pod is evicted successfully\" pod=default/big-"))
      << agent_->output();
  EXPECT_EQ(Running("idle"), 1);
}

// Two pods that keep to their requests leave less free than the kubelet's threshold and our margin.
TEST_F(LiveAgentBesideKubelet, OnAPackedNodeNobodyIsEvictedButAPodThatGrowsThere) {
  ASSERT_EQ(plane_
                .Apply(Holding("guaranteed", 380, "{limits: {cpu: 10m, memory: 400Mi}}") + "---\n" +
                       Holding("burstable", 380, "{requests: {memory: 400Mi}}"))
                .status,
            0);
  ASSERT_TRUE(Until([&] { return Running("guaranteed") + Running("burstable") == 2; }));
  StartAgent("", 1024);
  ASSERT_TRUE(agent_->ReadUntil("foreign pod found\" pod=default/burstable")) << agent_->output();
  ::poll(nullptr, 0, 25'000);  // two intervals, in which each pass finds the threshold met
  EXPECT_EQ(Running("guaranteed") + Running("burstable"), 2);
  EXPECT_THAT(Ask("get node bed -o jsonpath='{.spec.taints}'"), Not(HasSubstr("jettison.io")));
  EXPECT_THAT(Ask("get node bed -o jsonpath='{.status.conditions}'"), Not(HasSubstr("Jettison")));
  EXPECT_EQ(Ask("get events --field-selector=reason=EvictionThresholdMet -o name"), "");
  ASSERT_EQ(plane_.Apply(Holding("grows", 60)).status, 0);
  ASSERT_TRUE(agent_->ReadUntil("pod is evicted successfully")) << agent_->output();
  EXPECT_THAT(agent_->output(), HasSubstr("evicted successfully\" pod=default/grows"));
  EXPECT_EQ(Running("guaranteed") + Running("burstable"), 2);
  EXPECT_TRUE(Until([&] {
    return Ask("get node bed -o jsonpath='{.spec.taints}'").find("jettison.io/memory-pressure") !=
           std::string::npos;
  }));
}

TEST_F(LiveAgentBesideKubelet, WhereTheMarginIsMoreThanTheNodeNobodyIsEvictedAndThatIsSaidOnce) {
  ASSERT_EQ(plane_.Apply(Holding("works", 100)).status, 0);
  ASSERT_TRUE(Until([&] { return Running("works") == 1; }));
  const std::string group = plane_.MakeNode(300);
  // The kubelet limits all pods to what it leaves of the capacity, which here is as little.
  const std::string limit = "/sys/fs/cgroup/memory" + group + "/kubepods/memory.limit_in_bytes";
  if (std::ofstream file(limit); file) file << (300 << 20);
  StartAgent("", 300);
  ASSERT_TRUE(agent_->ReadUntil("foreign pod found\" pod=default/works")) << agent_->output();
  ::poll(nullptr, 0, 25'000);
  EXPECT_EQ(Running("works") + Running("idle"), 2);
  EXPECT_THAT(Ask("get node bed -o jsonpath='{.spec.taints}'"), Not(HasSubstr("jettison.io")));
  agent_->Signal(SIGTERM);
  EXPECT_EQ(agent_->Wait(), 0);
  const std::string said = "a threshold does not fit this node";
  const std::size_t first = agent_->output().find(said);
  ASSERT_NE(first, std::string::npos) << agent_->output();
  EXPECT_EQ(agent_->output().find(said, first + 1), std::string::npos) << agent_->output();
  EXPECT_THAT(agent_->output(), Not(HasSubstr("evicted successfully")));
}

// Its pods are never evicted.
constexpr const char* kDaemonSet =
    "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: idle}\nspec:\n"
    "  selector: {matchLabels: {app: idle}}\n"
    "  template: {metadata: {labels: {app: idle}}, spec: {hostNetwork: true, "
    "automountServiceAccountToken: false, "
    "containers: [{name: c, image: 'bed.local/app:1', args: [pause]}]}}\n";

class LiveImagesBesideKubelet : public testing::Test {
 protected:
  void SetUp() override {
    if (!plane_.missing().empty()) GTEST_SKIP() << plane_.missing();
    ASSERT_EQ(plane_.Apply(kDaemonSet).status, 0);
    const Ran running = plane_.Kubectl("rollout status daemonset/idle --timeout=60s");
    ASSERT_EQ(running.status, 0) << running.output;
    // Another configuration makes the bed's image another one.
    const Ran imported =
        RunShell("cd " + plane_.Path("") +
                 " && mkdir unused && tar -xf app.tar -C unused && cd unused && "
                 "sed -i 's,bed.local/app:1,host.local/unused:1,' manifest.json && "
                 "sed -i 's,mkimage,unused,' config.json && tar -cf ../unused.tar * && "
                 "ctr -a ../containerd.sock -n k8s.io image import ../unused.tar");
    ASSERT_EQ(imported.status, 0) << imported.output;
  }
  // With a threshold that is always crossed.
  [[nodiscard]] Program StartAgent(bool dry_run) {
    // Where systemd has the groups they lie in the root, and the machine is the node.
    const std::string group = RunShell("cd " + plane_.folder() +
                                       " && . ./settings && grep -q '^cgroupDriver: systemd' "
                                       "conf/kubelet.yaml || printf %s $CGROUP")
                                  .output;
    std::ofstream(plane_.Path("agent.yaml")) << fmt::format(
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
        "cgroupRoot: /\nimageMinimumGCAge: 1s\nevictionHard: {{imagefs.available: '99.9%'}}\n---\n"
        "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\nsource: kubernetes\n"
        "nodeName: bed\nnodeCgroup: /{0}\nroot: {1}/agent\nhttp: {{socket: ''}}\ndryRun: {2}\n"
        "kubernetes: {{kubeconfig: {1}/agent.kubeconfig, kubeletDirectory: {1}/kubelet, "
        "kubeletConfiguration: {1}/conf/kubelet.yaml, collectImages: true}}\n",
        group, plane_.folder(), dry_run);
    return Program({JETTISON_BINARY, "run", "--config", plane_.Path("agent.yaml")}, {});
  }
  [[nodiscard]] std::string Images() const {
    return RunShell("ctr -a " + plane_.Path("containerd.sock") + " -n k8s.io image list -q").output;
  }

  LiveControlPlane plane_;
};

TEST_F(LiveImagesBesideKubelet, AnUnusedOneIsRemovedAndTheKubeletsStayButADryRunRemovesNone) {
  {
    Program agent = StartAgent(true);
    // A pass comes to this after it has reclaimed.
    ASSERT_TRUE(agent.ReadUntil("unable to evict any pods from the node")) << agent.output();
    EXPECT_THAT(agent.output(), Not(HasSubstr("removed image")));
  }
  EXPECT_THAT(Images(), HasSubstr("host.local/unused:1"));
  Program agent = StartAgent(false);
  ASSERT_TRUE(agent.ReadUntil("image garbage collector: images removed")) << agent.output();
  EXPECT_THAT(Images(), Not(HasSubstr("host.local/unused:1")));
  EXPECT_THAT(Images(), HasSubstr("bed.local/app:1"));
}

}  // namespace
}  // namespace jettison::kube
