// What packaging/kubernetes puts into a cluster, on a real API server: it is taken, and an agent
// may touch its own node and the pods there, and nothing else.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
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

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace jettison::kube
