// packaging/kubernetes as somebody installs it: the image of this build, and its DaemonSet, run by
// a real kubelet.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/kubernetes/live_control_plane.h"
#include "tests/live/program.h"

namespace jettison::kube {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kLongestWait = seconds(180);  // of a machine that is busy
// The bed's groups are made a node of this size, so that what others do on the machine counts for
// nothing.
constexpr int kBedMiB = 2048;
constexpr int kGreedyMiB = 1536;

// What the bed has elsewhere than a node. It has no service network either.
constexpr const char* kBedPatch = R"(
resources: [../packaging/overlays/{overlay}]
patches:
- patch: |
    apiVersion: apps/v1
    kind: DaemonSet
    metadata: {{name: jettison, namespace: jettison-system}}
    spec:
      template:
        spec:
          hostNetwork: true
          containers:
          - name: agent
            env:
            - {{name: KUBERNETES_SERVICE_HOST, value: 127.0.0.1}}
            - {{name: KUBERNETES_SERVICE_PORT, value: "{port}"}}
            volumeMounts:
            - {{mountPath: /var/log/pods, $patch: delete}}
            - {{mountPath: /var/lib/containerd, $patch: delete}}
            - {{name: pod-logs, mountPath: {bed}/pod-logs, readOnly: true}}
            - {{name: layers, mountPath: {bed}/containerd/root, readOnly: true, mountPropagation: HostToContainer}}
          volumes:
          - {{name: state, hostPath: {{path: {bed}/state}}}}
          - {{name: kubelet, hostPath: {{path: {bed}/kubelet}}}}
          - {{name: pod-logs, hostPath: {{path: {bed}/pod-logs}}}}
          - {{name: layers, hostPath: {{path: {bed}/containerd/root}}}}
)";

// The taint stays for as long as the agent does.
constexpr const char* kBedConfiguration = R"(
nodeCgroup: {0}
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupRoot: /
evictionHard: {{memory.available: 1024Mi}}
evictionPressureTransitionPeriod: 10m
)";

class LiveDaemonSet : public testing::Test {
 protected:
  void SetUp() override {
    if (!plane_.missing().empty()) GTEST_SKIP() << plane_.missing();
    const Ran image = RunShell(
        fmt::format("JETTISON_BUILD={0} {1}/image.sh {2} && ctr -a {3} -n k8s.io image import {2}",
                    Quoted(JETTISON_BUILD), Quoted(JETTISON_SCRIPTS), plane_.Path("image.tar"),
                    plane_.Path("containerd.sock")));
    if (image.status != 0) GTEST_SKIP() << "the image cannot be had: " << image.output;
    // The bed's own rights for agents are not those that are tried.
    Must(plane_.Path("kubectl") + " delete clusterrolebinding/jettison clusterrole/jettison-taint");
    Start("idle", "pause");
    MakeANodeOfTheBed();
  }
  // As the base expects a node to be.
  void MakeANodeOfTheBed() {
    group_ = plane_.MakeNode(kBedMiB);
    Must(fmt::format("cp -r {} {}", Quoted(JETTISON_PACKAGING), plane_.Path("packaging")));
    Must(fmt::format("cp {} {}", plane_.Path("conf/kubelet.yaml"),
                     plane_.Path("kubelet/config.yaml")));
    for (const char* mount : {"kubelet", "containerd/root"}) {
      Must(fmt::format("mount --rbind {0} {0} && mount --make-rshared {0}", plane_.Path(mount)));
    }
    // A container cannot be given what this machine does not have. Bit 24 is CAP_SYS_RESOURCE.
    Must(
        "[ $((0x$(awk '/CapBnd/ {print $2}' /proc/self/status) >> 24 & 1)) = 1 ] || "
        "sed -i '/^ *- SYS_RESOURCE$/d' " +
        plane_.Path("packaging/base/daemonset.yaml"));
    for (const char* overlay : {"shadow", "enforce"}) {
      const std::string file =
          plane_.Path(fmt::format("packaging/overlays/{}/jettison.yaml", overlay));
      std::ofstream(file, std::ios::app) << fmt::format(kBedConfiguration, group_);
    }
  }
  static void Must(const std::string& command) {
    const Ran ran = RunShell(command);
    ASSERT_EQ(ran.status, 0) << command << "\n" << ran.output;
  }
  void Start(const std::string& name, const std::string& arguments) {
    const Ran applied = plane_.Apply(fmt::format(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {0}}}\nspec:\n  replicas: 1\n"
        "  selector: {{matchLabels: {{app: {0}}}}}\n"
        "  template: {{metadata: {{labels: {{app: {0}}}}}, spec: {{hostNetwork: true, "
        "automountServiceAccountToken: false, "
        "containers: [{{name: c, image: 'bed.local/app:1', args: [{1}]}}]}}}}\n",
        name, arguments));
    ASSERT_EQ(applied.status, 0) << applied.output;
  }
  // `more`: lines of the kustomization.
  void Install(const std::string& overlay, const std::string& more = "") {
    const std::string port =
        RunShell(". " + plane_.Path("settings") + "; printf %s $((BASEPORT + 3))").output;
    fs::create_directories(plane_.Path("bed"));
    std::ofstream(plane_.Path("bed/kustomization.yaml"))
        << fmt::format(fmt::runtime(kBedPatch), fmt::arg("overlay", overlay),
                       fmt::arg("port", port), fmt::arg("bed", folder()))
        << more;
    Must(plane_.Path("kubectl") + " apply -k " + plane_.Path("bed"));
  }
  void AwaitReady() {
    const Ran ready = plane_.Kubectl(
        fmt::format("-n jettison-system rollout status daemonset/jettison --timeout={}s",
                    kLongestWait.count()));
    ASSERT_EQ(ready.status, 0) << ready.output << Story();
  }
  [[nodiscard]] bool Until(const std::string& question, const std::string& part) const {
    const auto deadline = std::chrono::steady_clock::now() + kLongestWait;
    while (Ask(question).find(part) == std::string::npos) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      ::poll(nullptr, 0, 200);
    }
    return true;
  }
  [[nodiscard]] std::string Ask(const std::string& what) const {
    return plane_.Kubectl(what).output;
  }
  [[nodiscard]] Ran Plugin(const std::string& arguments) const {
    return RunShell(fmt::format("KUBECTL={} {}/kubectl-jettison {}", plane_.Path("kubectl"),
                                Quoted(JETTISON_PACKAGING), arguments));
  }
  // For whoever reads that it failed.
  [[nodiscard]] std::string Story() const {
    return Ask("-n jettison-system describe pods") + Ask("-n jettison-system logs ds/jettison") +
           Ask("get pods -o wide");
  }
  [[nodiscard]] std::string folder() const {
    const std::string path = plane_.Path("");
    return path.substr(0, path.size() - 1);
  }

  LiveControlPlane plane_;
  std::string group_;  // that is the agent's node
};

TEST_F(LiveDaemonSet, InShadowModeItIsReadyAndAnswersThePlugin) {
  Install("shadow");
  AwaitReady();
  EXPECT_THAT(Ask("-n jettison-system logs ds/jettison"),
              AllOf(HasSubstr(R"("as":"service account")"),
                    HasSubstr("the pods of this node were read from the API server")));
  ASSERT_TRUE(Until("get pods", "Running")) << Story();
  EXPECT_THAT(Plugin("status bed").output, HasSubstr("DRY RUN: nothing is evicted"));
  const std::pair<const char*, const char*> rows[] = {
      {"explain bed", "memory.available < 1Gi"}, {"rank bed memory.available", "default/idle-"},
      {"top bed --count 1", "no pressure"},      {"shadow bed", "Nothing to compare yet"},
      {"doctor bed", "right to delete pods"},    {"logs bed", "agent is ready"},
  };
  for (const auto& [asked, expected] : rows) {
    const Ran answer = Plugin(asked);
    EXPECT_EQ(answer.status, 0) << asked << "\n" << answer.output;
    EXPECT_THAT(answer.output, HasSubstr(expected)) << asked;
  }
  EXPECT_EQ(Ask("-n jettison-system get pods -o "
                "jsonpath='{.items[*].status.containerStatuses[*].restartCount}'"),
            "0");
}

TEST_F(LiveDaemonSet, WithoutTheRightToListPodsItIsNotReadyAndSaysSo) {
  Install("shadow",
          "- patch: |\n    $patch: delete\n    apiVersion: rbac.authorization.k8s.io/v1\n"
          "    kind: ClusterRoleBinding\n    metadata: {name: jettison}\n");
  EXPECT_TRUE(Until("-n jettison-system describe pods", "the agent is not ready: cluster: "))
      << Story();
  EXPECT_EQ(Ask("-n jettison-system get daemonset jettison -o jsonpath='{.status.numberReady}'"),
            "0");
}

TEST_F(LiveDaemonSet, ItEvictsTheGuiltyPodAndLeavesNoTraceWhenItIsRemoved) {
  Install("enforce");
  AwaitReady();
  Start("hog", fmt::format("hog, '{}'", kGreedyMiB));
  ASSERT_TRUE(Until("get events --field-selector=reason=Evicted", "pod/hog-")) << Story();
  EXPECT_THAT(Ask("get events --field-selector=reason=Evicted"), Not(HasSubstr("idle-")));
  ASSERT_TRUE(Until("get node bed -o jsonpath='{.spec.taints}'", "jettison.io/memory-pressure"))
      << Story();
  ASSERT_TRUE(Until("get pods -l app=hog", "Pending")) << Story();
  const std::string evicted =
      Ask("get events --field-selector=reason=Evicted "
          "-o jsonpath='{.items[0].involvedObject.name}'");
  EXPECT_THAT(Plugin("explain bed default/" + evicted).output, HasSubstr("memory.available"));
  EXPECT_THAT(Plugin("status bed").output, HasSubstr("default/hog-"));
  // The object shows its end for as long as the kubelet still cleans up.
  Must(plane_.Path("kubectl") + " wait --for=delete --timeout=120s pod/" + evicted);
  EXPECT_EQ(Ask("get pods --field-selector=status.phase=Failed -o name"), "");

  Must(plane_.Path("kubectl") +
       " -n jettison-system delete daemonset jettison --cascade=foreground --timeout=60s");
  EXPECT_THAT(Ask("get node bed -o jsonpath='{.spec.taints} {.status.conditions}'"),
              AllOf(HasSubstr("MemoryPressure"), Not(HasSubstr("ettison"))));
  Must(plane_.Path("kubectl") + " delete --ignore-not-found --timeout=60s -k " +
       plane_.Path("bed"));
  EXPECT_THAT(Ask("get pods -l app=idle"), HasSubstr("Running"));
}

}  // namespace
}  // namespace jettison::kube
