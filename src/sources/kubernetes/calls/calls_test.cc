#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "codec/documents/json.h"
#include "sources/kubernetes/calls/call_complaints.h"
#include "sources/kubernetes/calls/object_calls.h"
#include "sources/kubernetes/objects/testing/test_answers.h"

namespace jettison::kube {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

const PodTarget kPod = {.namespace_ = "team", .name = "web-1", .uid = "u-1"};

ApiReply Recorded(int status, const std::string& name) {
  return {.status = status, .body = RecordedAnswer(name)};
}

TEST(Outcome, EveryRecordedAnswerHasOne) {
  struct Row {
    int status;
    const char* answer;
    CallResult result;
    const char* why;
  };
  constexpr Row rows[] = {
      {200, "node.json", CallResult::kDone, ""},
      {201, "evicted.json", CallResult::kDone, ""},
      {401, "status_unauthorized.json", CallResult::kUnauthenticated, "Unauthorized"},
      {403, "status_forbidden.json", CallResult::kForbidden, "cannot patch resource \"nodes\""},
      {404, "status_not_found.json", CallResult::kGone, "pods \"nobody\" not found"},
      {409, "status_delete_other_uid.json", CallResult::kAnother, "does not match"},
      {409, "status_conflict.json", CallResult::kConflict, "the object has been modified"},
      {409, "status_already_exists.json", CallResult::kConflict, "already exists"},
      {422, "status_other_uid.json", CallResult::kAnother, "field is immutable"},
      {429, "status_budget.json", CallResult::kBudget, "The disruption budget web needs 2 healthy"},
      {500, "status_two_budgets.json", CallResult::kBudget, "more than one PodDisruptionBudget"},
      {504, "status_too_new.json", CallResult::kAway, "Too large resource version"},
      {400, "status_bad_continue.json", CallResult::kRefused, "invalid continue token"},
  };
  for (const Row& row : rows) {
    const Outcome outcome = OutcomeOf(Recorded(row.status, row.answer));
    EXPECT_EQ(outcome.result, row.result) << row.answer;
    EXPECT_THAT(outcome.why, HasSubstr(row.why));
    EXPECT_EQ(outcome.is_over(),
              row.result == CallResult::kGone || row.result == CallResult::kAnother);
  }
}

TEST(Outcome, ASuccessCountsOnlyInTheWordsOfAnApiServer) {
  struct Row {
    const char* body;
    bool counts;
  };
  constexpr Row rows[] = {
      {R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1","uid":"u-1"}})", true},
      {R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})", true},
      {R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})", false},
      {R"({"kind":"Status"})", false},
      {R"({"kind":"Pod","metadata":{"name":"web-1","uid":"u-2"}})", false},
      {R"({"kind":"Pod","metadata":{"name":"web-1"}})", false},
      {R"({"kind":"Pod","metadata":["u-1"]})", false},
      {R"({"kind":"Pod"})", false},
      {R"({"kind":"PodList","metadata":{"uid":"u-1"}})", false},
      {R"({"kind":7})", false},
      {R"({"kind":"Pod","metadata":{"uid":"u-1"})", false},
      {"{}", false},
      {"[]", false},
      {"", false},
      {"ok", false},
      {"<html>200</html>", false},
  };
  for (const Row& row : rows) {
    const Outcome outcome =
        OutcomeOf(ApiReply{.status = 200, .body = row.body}, {.kind = "Pod", .uid = "u-1"});
    EXPECT_EQ(outcome.result, row.counts ? CallResult::kDone : CallResult::kAway) << row.body;
    EXPECT_EQ(outcome.why.empty(), row.counts) << row.body;
  }
  EXPECT_TRUE(OutcomeOf(Recorded(201, "evicted.json"), {.kind = "Pod", .uid = "u-1"}).ok());
  EXPECT_TRUE(OutcomeOf(Recorded(200, "node.json"), {.kind = "Node", .uid = {}}).ok());
  EXPECT_FALSE(OutcomeOf(ApiReply{.status = 200, .body = "{}"}, {.kind = "Node", .uid = {}}).ok());
  EXPECT_EQ(OutcomeOf(Recorded(403, "status_forbidden.json"), {.kind = "Pod", .uid = {}}).result,
            CallResult::kForbidden);
}

// For 0 an API server removes the object at once, while the pod runs.
TEST(PodCalls, NeitherForcesADeletion) {
  for (const std::int64_t seconds : {0, -1, 1}) {
    EXPECT_EQ(DeletePod(kPod, seconds), DeletePod(kPod, 1));
    EXPECT_EQ(EvictPod(kPod, {.grace_seconds = seconds}), EvictPod(kPod, {.grace_seconds = 1}));
  }
  EXPECT_THAT(DeletePod(kPod, 0).body, HasSubstr(R"("gracePeriodSeconds":1)"));
}

TEST(PodCalls, NamesCannotLeadOutOfTheirPath) {
  EXPECT_EQ(DeletePod({.namespace_ = "a/b", .name = "../x?y", .uid = "u"}, 1).path,
            "/api/v1/namespaces/a%2Fb/pods/..%2Fx%3Fy");
}

TEST(KubeletConfiguration, IsTakenOutOfConfigz) {
  EXPECT_EQ(GetKubeletConfiguration("n").path, "/api/v1/nodes/n/proxy/configz");
  const auto configuration = ReadKubeletConfiguration(RecordedAnswer("configz.json"));
  ASSERT_TRUE(configuration) << configuration.error().message;
  const Value* hard = configuration->Find("evictionHard");
  ASSERT_NE(hard, nullptr);
  EXPECT_EQ(*hard->Find("memory.available")->AsString(), "100Mi");
  for (const char* body : {"", "{}", "[]", R"({"kubeletconfig":1})"}) {
    EXPECT_FALSE(ReadKubeletConfiguration(body)) << body;
  }
}

}  // namespace
}  // namespace jettison::kube
