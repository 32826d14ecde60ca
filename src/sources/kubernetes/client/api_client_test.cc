#include "sources/kubernetes/client/api_client.h"

#include <gmock/gmock.h>

#include "sources/kubernetes/calls/call_complaints.h"
#include "sources/kubernetes/calls/event_queue.h"
#include "sources/kubernetes/calls/object_calls.h"
#include "sources/kubernetes/client/testing/client_test_fixture.h"

namespace jettison::kube {
namespace {

using ::testing::ElementsAre;
using Json = FakeStore::Json;

constexpr WallTime kNow{std::chrono::hours(500'000)};
const PodTarget kPod = {.namespace_ = "default", .name = "a", .uid = "ua"};

class ApiCalls : public WithFakeApiServer {
 protected:
  ApiCalls() {
    server_.PutPod("a", "ua");
    Connect();
  }
  CallResult ResultOf(const ApiCall& call) { return OutcomeOf(Ask(call)).result; }
  Json Pod() {
    return server_.Look<Json>([](FakeStore& store) { return *store.Pod("a"); });
  }
  Json Node() {
    return server_.Look<Json>([](FakeStore& store) { return store.node(); });
  }
};

TEST_F(ApiCalls, APodIsMarkedAndDeletedIfItIsStillTheSame) {
  EXPECT_EQ(ResultOf(MarkPod(kPod, {.message = "low", .now = kNow})), CallResult::kDone);
  EXPECT_EQ(Pod()["status"]["phase"], "Running");
  EXPECT_EQ(Pod()["status"]["reason"], "Evicted");
  EXPECT_EQ(Pod()["status"]["conditions"][0]["type"], "DisruptionTarget");
  PodTarget other = kPod;
  other.uid = "somebody-else";
  EXPECT_EQ(ResultOf(DeletePod(other, 1)), CallResult::kAnother);
  EXPECT_EQ(ResultOf(MarkPod(other, {.message = "low", .now = kNow})), CallResult::kAnother);
  EXPECT_FALSE(Pod()["metadata"].contains("deletionTimestamp"));
  EXPECT_EQ(ResultOf(DeletePod(kPod, 1)), CallResult::kDone);
  EXPECT_EQ(Pod()["metadata"]["deletionGracePeriodSeconds"], 1);
  server_.RemovePod("a");
  EXPECT_EQ(ResultOf(DeletePod(kPod, 1)), CallResult::kGone);
}

TEST_F(ApiCalls, AnEvictionThatABudgetForbidsDeletesNothing) {
  server_.ForbidEvictions("status_budget.json", 429);
  const Outcome refused = OutcomeOf(Ask(EvictPod(kPod, {})));
  EXPECT_EQ(refused.result, CallResult::kBudget);
  EXPECT_EQ(refused.why, "The disruption budget web needs 2 healthy pods and has 2 currently");
  EXPECT_FALSE(Pod()["metadata"].contains("deletionTimestamp"));
}

TEST_F(ApiCalls, AnEvictionThatIsAllowedDeletesUnlessItIsATrial) {
  EXPECT_EQ(ResultOf(EvictPod(kPod, {.dry_run = true})), CallResult::kDone);
  EXPECT_FALSE(Pod()["metadata"].contains("deletionTimestamp"));
  EXPECT_EQ(ResultOf(EvictPod(kPod, {.grace_seconds = 3})), CallResult::kDone);
  EXPECT_EQ(Pod()["metadata"]["deletionGracePeriodSeconds"], 3);
}

TEST_F(ApiCalls, AnEvictionWithoutAGracePeriodLeavesTheObjectToTheKubelet) {
  EXPECT_EQ(ResultOf(EvictPod(kPod, {.grace_seconds = 0})), CallResult::kDone);
  EXPECT_EQ(Pod()["metadata"]["deletionGracePeriodSeconds"], 1);
  ASSERT_EQ(Ask({.method = "DELETE",
                 .path = "/api/v1/namespaces/default/pods/a",
                 .content_type = "application/json",
                 .body = R"({"gracePeriodSeconds":0})"})
                ->status,
            200);
  EXPECT_EQ(ResultOf(DeletePod(kPod, 1)), CallResult::kGone) << "as an API server does for 0";
}

TEST_F(ApiCalls, ATaintIsPutBesideThoseOfOthersUnlessTheNodeWasChangedMeanwhile) {
  const auto stale = ReadApiNode(Ask(GetNode("bed"))->body);
  ASSERT_TRUE(stale);
  server_.Change([](FakeStore& store) {
    store.node()["spec"]["taints"] =
        Json::array({{{"key", "foreign"}, {"value", "x"}, {"effect", "NoSchedule"}, {"new", 1}}});
    store.TouchNode();
  });
  TaintWish wish = {.key = "jettison.io/memory-pressure"};
  EXPECT_EQ(ResultOf(ChangeTaint(*stale, wish).value()), CallResult::kConflict);
  const auto change = [&] {
    return ResultOf(ChangeTaint(ReadApiNode(Ask(GetNode("bed"))->body).value(), wish).value());
  };
  EXPECT_EQ(change(), CallResult::kDone);
  const Json taints = Node()["spec"]["taints"];
  ASSERT_EQ(taints.size(), 2U);
  EXPECT_EQ(taints[0]["new"], 1);
  EXPECT_EQ(taints[1]["key"], "jettison.io/memory-pressure");
  wish.present = false;
  EXPECT_EQ(change(), CallResult::kDone);
  EXPECT_EQ(Node()["spec"]["taints"].size(), 1U);
}

TEST_F(ApiCalls, RightsThatAreMissingAreNamed) {
  server_.Deny("patch nodes");
  server_.Deny("create pods/eviction");
  std::vector<std::string> missing;
  for (const Right& right : NeededRights()) {
    const auto allowed = ReadRight(Ask(AskRight(right)));
    ASSERT_TRUE(allowed) << allowed.error().message;
    if (!*allowed) missing.push_back(Describe(right));
  }
  EXPECT_THAT(missing, ElementsAre("create pods/eviction", "patch nodes"));
}

TEST_F(ApiCalls, CertificatesAreReadAgainSoonAfterTheServerRefusedTheAgentOrWasNotReached) {
  int reads = 0;
  const ApiAccess access = {.server = server_.url()};
  auto client = ApiClient::Open(access, clock_, [&] {
    ++reads;
    return AccessReading{.access = access, .faults = {}};
  });
  ASSERT_TRUE(client);
  client_ = std::move(*client);
  const auto ask = [&] {
    (void)Ask(GetVersion());
    clock_.Advance(AccessSource::kReadAfterFailure);
    (void)Ask(GetVersion());
    return std::exchange(reads, 0);
  };
  EXPECT_EQ(ask(), 0);
  server_.RequireToken("another");
  EXPECT_EQ(ask(), 1);
  server_.RequireToken("");
  (void)ask();
  server_.Stop();
  EXPECT_EQ(ask(), 1);
}

TEST_F(ApiCalls, GoToTheServersOwnPath) {
  Connect({.server = server_.url(), .path_prefix = "/k8s/c-1"});
  EXPECT_EQ(Ask(GetVersion())->status, 404);
  EXPECT_THAT(server_.requests(), ElementsAre("GET /k8s/c-1/version"));
}

}  // namespace
}  // namespace jettison::kube
