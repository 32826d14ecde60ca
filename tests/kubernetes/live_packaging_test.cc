// What packaging/kubernetes puts into a cluster. On a real API server it is taken, and an agent may
// touch its own node and the pods there, and nothing else. A real kubelet runs its DaemonSet with
// the image of this build, as somebody installs it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/calls/call_complaints.h"
#include "sources/kubernetes/calls/object_calls.h"
#include "sources/kubernetes/client/api_client.h"
#include "tests/kubernetes/live_control_plane.h"
#include "tests/live/program.h"

namespace jettison::kube {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kLongest = seconds(180);  // of a machine that is busy
constexpr const char* kPolicy = "ValidatingAdmissionPolicy";
const std::string kPackaging = JETTISON_PACKAGING;

// A node without a kubelet, and a pod on each of the two. Nothing of it has to run.
constexpr const char* kOthers = R"(
apiVersion: v1
kind: Node
metadata: {name: other}
---
apiVersion: v1
kind: Pod
metadata: {name: near, namespace: default}
spec:
  nodeName: bed
  automountServiceAccountToken: false
  tolerations: [{operator: Exists}]
  containers: [{name: c, image: 'bed.local/app:1', args: [pause]}]
---
apiVersion: v1
kind: Pod
metadata: {name: far, namespace: default}
spec:
  nodeName: other
  automountServiceAccountToken: false
  tolerations: [{operator: Exists}]
  containers: [{name: c, image: 'bed.local/app:1', args: [pause]}]
)";

class LivePackaging : public LiveSharedControlPlane {
 protected:
  void SetUp() override {
    if (!plane_.missing().empty()) GTEST_SKIP() << plane_.missing();
    // The bed's own rights for agents are not those that are tried.
    const Ran deleted = plane_.Kubectl(
        "delete --ignore-not-found clusterrolebinding/jettison clusterrole/jettison-taint");
    ASSERT_EQ(deleted.status, 0) << deleted.output;
    Apply("-k " + Quoted(kPackaging + "/overlays/shadow"));
    ASSERT_EQ(plane_.Apply(kOthers).status, 0);
    agent_pod_ = NameOfAnAgentsPod();
    ASSERT_NE(agent_pod_, "");
    ConnectWithTokenFor("--bound-object-kind Pod --bound-object-name " + agent_pod_);
    AwaitPolicies();
  }
  void Apply(const std::string& arguments) {
    const Ran applied = plane_.Kubectl("apply " + arguments);
    ASSERT_EQ(applied.status, 0) << applied.output;
  }
  [[nodiscard]] std::string Get(const std::string& what, const std::string& path) {
    return plane_.Kubectl(fmt::format("get {} -o 'jsonpath={}'", what, path)).output;
  }
  [[nodiscard]] std::string NameOfAnAgentsPod() {
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    while (std::chrono::steady_clock::now() < deadline) {
      const std::string name =
          Get("pods -n jettison-system", "{.items[?(@.spec.nodeName)].metadata.name}");
      if (!name.empty()) return name.substr(0, name.find(' '));
    }
    return {};
  }
  void ConnectWithTokenFor(const std::string& arguments) {
    const Ran token = plane_.Kubectl("-n jettison-system create token jettison " + arguments);
    ASSERT_EQ(token.status, 0) << token.output;
    ApiAccess access = AccessByKubeconfig(plane_.agent()).access;
    access.token_file.clear();
    access.token = token.output.substr(0, token.output.find('\n'));
    auto client = ApiClient::Open(access, clock_);
    ASSERT_TRUE(client) << client.error().message;
    client_ = std::move(*client);
  }
  // The API server takes a moment until it asks them, each by itself.
  void AwaitPolicies() {
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    PodTarget nobody = Target("near");
    nobody.uid.clear();
    for (const ApiCall& call : {DeletePod(Target("far"), 0), EvictPod(nobody, {.dry_run = true}),
                                Condition("other", "JettisonMemoryPressure")}) {
      for (Outcome outcome; outcome.why.find(kPolicy) == std::string::npos;) {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline)
            << call.path << ": " << static_cast<int>(outcome.result) << ", " << outcome.why;
        outcome = TrialOf(call);
      }
    }
  }
  [[nodiscard]] PodTarget Target(const std::string& name) {
    return {.namespace_ = "default", .name = name, .uid = Get("pod " + name, "{.metadata.uid}")};
  }
  // What would come of it.
  [[nodiscard]] Outcome TrialOf(ApiCall call) {
    call.path += "?dryRun=All";
    // Where a deletion has a body, that alone counts.
    if (call.method == "DELETE") call.body.insert(1, R"("dryRun":["All"],)");
    return OutcomeOf(AskNow(*client_, call, seconds(20)));
  }
  [[nodiscard]] CallResult Tried(const ApiCall& call) { return TrialOf(call).result; }
  [[nodiscard]] static ApiCall Patch(const std::string& path, const std::string& body) {
    return {.method = "PATCH",
            .path = "/api/v1/" + path,
            .content_type = "application/strategic-merge-patch+json",
            .body = body};
  }
  [[nodiscard]] ApiCall Taint(const std::string& node, const std::string& key) {
    const auto read = ReadApiNode(AskNow(*client_, GetNode(node), seconds(20))->body);
    return *ChangeTaint(*read, {.key = key, .present = true});
  }
  [[nodiscard]] static ApiCall Condition(const std::string& node, const std::string& type) {
    return SetNodeConditions(node, {{.type = type, .holds = true, .reason = "r", .message = "m"}});
  }

  FakeClock clock_{Instant(std::chrono::hours(500'000))};
  std::unique_ptr<ApiClient> client_;
  std::string agent_pod_;
};

TEST_F(LivePackaging, WhatAnEvictionNeedsIsAllowedOnTheAgentsOwnNode) {
  for (const Right& right : NeededRights()) {
    const auto allowed = ReadRight(AskNow(*client_, AskRight(right), seconds(20)));
    EXPECT_TRUE(allowed && *allowed) << Describe(right);
  }
  EXPECT_EQ(Tried(DeletePod(Target("near"), 1)), CallResult::kDone);
  EXPECT_EQ(Tried(MarkPod(Target("near"), {.message = "m", .now = {}})), CallResult::kDone);
  EXPECT_EQ(Tried(EvictPod(Target("near"), {.dry_run = true})), CallResult::kDone);
  EXPECT_EQ(Tried(Taint("bed", "jettison.io/memory-pressure")), CallResult::kDone);
  EXPECT_EQ(Tried(Condition("bed", "JettisonMemoryPressure")), CallResult::kDone);
  EXPECT_EQ(Tried(RemoveNodeConditions("bed", {"JettisonMemoryPressure"})), CallResult::kDone);
}

TEST_F(LivePackaging, AnotherNodeAndItsPodsAreOutOfReach) {
  for (const ApiCall& call :
       {DeletePod(Target("far"), 1), MarkPod(Target("far"), {.message = "m", .now = {}}),
        Taint("other", "jettison.io/memory-pressure"),
        Condition("other", "JettisonMemoryPressure")}) {
    const Outcome outcome = TrialOf(call);
    EXPECT_EQ(outcome.result, CallResult::kForbidden) << call.path << ": " << outcome.why;
    EXPECT_THAT(outcome.why, AllOf(HasSubstr(kPolicy), HasSubstr("than bed")));
  }
}

TEST_F(LivePackaging, WhatIsNotTheAgentsStaysAsItIs) {
  const std::string near = "namespaces/default/pods/near/status";
  for (const ApiCall& call : {
           Patch(near, R"({"status":{"phase":"Failed"}})"),
           Patch(near, R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})"),
           Patch(near, R"({"metadata":{"labels":{"a":"b"}}})"),
           Patch("nodes/bed", R"({"spec":{"unschedulable":true}})"),
           Patch("nodes/bed", R"({"metadata":{"labels":{"a":"b"}}})"),
           Patch("nodes/bed/status", R"({"metadata":{"annotations":{"a":"b"}}})"),
           Patch("nodes/bed/status", R"({"status":{"capacity":{"a.io/b":"1"}}})"),
           Condition("bed", "MemoryPressure"),
           Taint("bed", "somebody.else/taint"),
       }) {
    const Outcome outcome = TrialOf(call);
    EXPECT_EQ(outcome.result, CallResult::kForbidden) << call.body << ": " << outcome.why;
    EXPECT_THAT(outcome.why, HasSubstr(kPolicy));
  }
  PodTarget nobody = Target("near");
  nobody.uid.clear();
  EXPECT_EQ(Tried(EvictPod(nobody, {.dry_run = true})), CallResult::kForbidden);
}

TEST_F(LivePackaging, ATokenThatNamesNoNodeAllowsNothing) {
  ConnectWithTokenFor("");
  for (const ApiCall& call :
       {DeletePod(Target("near"), 1), MarkPod(Target("near"), {.message = "m", .now = {}}),
        EvictPod(Target("near"), {.dry_run = true}), Taint("bed", "jettison.io/memory-pressure"),
        Condition("bed", "JettisonMemoryPressure")}) {
    const Outcome outcome = TrialOf(call);
    EXPECT_EQ(outcome.result, CallResult::kForbidden) << call.path << ": " << outcome.why;
    EXPECT_THAT(outcome.why, HasSubstr("must name its node"));
  }
}

// The commands of docs/kubernetes.md, "Remove it", for what an agent left that could not end well.
std::string CommandsThatClean() {
  std::ifstream page(JETTISON_PAGE);
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  const std::size_t section = text.find("## Remove it");
  const std::size_t begin = text.find("```sh\nkubectl get nodes -o json", section);
  const std::size_t end = text.find("```\n", begin + 1);
  return end == std::string::npos ? "false" : text.substr(begin + 6, end - begin - 6);
}

TEST_F(LivePackaging, ThePagesCommandsRemoveTaintsAndConditionsAndNothingElse) {
  if (RunShell("command -v jq").status != 0) GTEST_SKIP() << "no jq";
  ASSERT_EQ(plane_
                .Kubectl("taint node bed jettison.io/memory-pressure:NoSchedule "
                         "jettison.io/pid-pressure:NoSchedule somebody.else/taint:NoSchedule")
                .status,
            0);
  ASSERT_EQ(plane_
                .Kubectl("patch node bed --subresource=status -p '{\"status\":{\"conditions\":[{"
                         "\"type\":\"JettisonMemoryPressure\",\"status\":\"True\"}]}}'")
                .status,
            0);
  const Ran cleaned =
      RunShell(fmt::format("PATH={}:$PATH\n{}", plane_.Path(""), CommandsThatClean()));
  EXPECT_EQ(cleaned.status, 0) << cleaned.output;
  const std::string node = Get("node bed", "{.spec.taints[*].key} {.status.conditions[*].type}");
  EXPECT_THAT(node, AllOf(HasSubstr("somebody.else/taint"), HasSubstr("MemoryPressure")));
  EXPECT_THAT(node, testing::Not(HasSubstr("ettison"))) << cleaned.output;
  EXPECT_EQ(plane_.Kubectl("taint node bed somebody.else/taint-").status, 0);
}

TEST_F(LivePackaging, EveryOverlayIsTakenAndNothingIsLeftBehind) {
  Apply("-k " + Quoted(kPackaging + "/overlays/enforce"));
  const Ran gone =
      plane_.Kubectl("delete --timeout=60s -k " + Quoted(kPackaging + "/overlays/enforce"));
  EXPECT_EQ(gone.status, 0) << gone.output;
  const Ran left = plane_.Kubectl(
      "get -A "
      "namespaces,resourcequotas,clusterroles,clusterrolebindings,validatingadmissionpolicies,"
      "validatingadmissionpolicybindings -o name | grep jettison");
  EXPECT_EQ(left.output, "");
}

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
    const Ran image = plane_.ImportImage();
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
  void Start(const std::string& name, const std::string& arguments) {
    const Ran applied = plane_.Apply(Deployment(name, arguments));
    ASSERT_EQ(applied.status, 0) << applied.output;
  }
  // `more`: lines of the kustomization.
  void Install(const std::string& overlay, const std::string& more = "") {
    const std::string port =
        RunShell(". " + plane_.Path("settings") + "; printf %s $((BASEPORT + 3))").output;
    fs::create_directories(plane_.Path("bed"));
    std::ofstream(plane_.Path("bed/kustomization.yaml"))
        << fmt::format(fmt::runtime(kBedPatch), fmt::arg("overlay", overlay),
                       fmt::arg("port", port), fmt::arg("bed", plane_.folder()))
        << more;
    Must(plane_.Path("kubectl") + " apply -k " + plane_.Path("bed"));
  }
  void AwaitReady() {
    const Ran ready = plane_.Kubectl(fmt::format(
        "-n jettison-system rollout status daemonset/jettison --timeout={}s", kLongest.count()));
    ASSERT_EQ(ready.status, 0) << ready.output << Story();
  }
  [[nodiscard]] bool Until(const std::string& question, const std::string& part) const {
    return kube::Until([&] { return Ask(question).find(part) != std::string::npos; }, kLongest);
  }
  [[nodiscard]] std::string Ask(const std::string& what) const { return plane_.Ask(what); }
  [[nodiscard]] Ran Plugin(const std::string& arguments) const {
    return RunShell(fmt::format("KUBECTL={} {}/kubectl-jettison {}", plane_.Path("kubectl"),
                                Quoted(JETTISON_PACKAGING), arguments));
  }
  // For whoever reads that it failed.
  [[nodiscard]] std::string Story() const {
    return Ask("-n jettison-system describe pods") + Ask("-n jettison-system logs ds/jettison") +
           Ask("get pods -o wide");
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
  EXPECT_TRUE(Until("-n jettison-system describe pods", "[-]cluster failed: ")) << Story();
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
