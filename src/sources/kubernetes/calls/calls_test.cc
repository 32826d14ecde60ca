#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <set>

#include "codec/documents/documents.h"
#include "codec/documents/json.h"
#include "sources/kubernetes/calls/call_complaints.h"
#include "sources/kubernetes/calls/event_queue.h"
#include "sources/kubernetes/calls/object_calls.h"
#include "sources/kubernetes/objects/testing/test_answers.h"

namespace jettison::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
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

TEST(NeededRights, AreThoseOfTheRoleThatIsInstalledAndNoOthers) {
  std::ifstream file(JETTISON_TESTDATA "/../../packaging/kubernetes/base/rbac.yaml");
  const std::string role{std::istreambuf_iterator<char>(file), {}};
  const auto documents = ParseDocuments(role).value();
  const auto texts = [](const Value& rule, std::string_view list) {
    std::vector<std::string> all;
    for (const Value& each : *rule.Find(list)->AsList()) all.push_back(*each.AsString());
    return all;
  };
  std::multiset<std::string> given;
  for (const Value& rule : *documents.at(0).Find("rules")->AsList()) {
    EXPECT_THAT(texts(rule, "apiGroups"), ::testing::ElementsAre(""));
    for (const std::string& resource : texts(rule, "resources")) {
      for (const std::string& verb : texts(rule, "verbs")) given.insert(verb + " " + resource);
    }
  }
  std::multiset<std::string> needed;
  for (const Right& right : NeededRights()) needed.insert(Describe(right));
  EXPECT_EQ(given, needed);
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
  const auto configuration = ReadKubeletConfiguration(RecordedAnswer("configz.json")).value();
  const Value* hard = configuration.Find("evictionHard");
  ASSERT_NE(hard, nullptr);
  EXPECT_EQ(*hard->Find("memory.available")->AsString(), "100Mi");
  for (const char* body : {"", "{}", "[]", R"({"kubeletconfig":1})"}) {
    EXPECT_FALSE(ReadKubeletConfiguration(body)) << body;
  }
}

constexpr Instant kQueuedAt{seconds(1'767'225'600)};
constexpr WallTime kWall{seconds(1'767'225'600)};

EventObject Pod(const std::string& name) {
  return {.kind = "Pod", .namespace_ = "team", .name = name, .uid = "u-" + name};
}
Event Evicted(const std::string& message = "m") {
  return {.object = "u",
          .type = EventType::kWarning,
          .reason = "Evicted",
          .message = message,
          .annotations = {}};
}
Outcome OutcomeOf(CallResult result) {
  return {.result = result, .why = "w"};
}

class EventQueueTest : public testing::Test {
 protected:
  void Tell(const std::string& pod, Instant now = kQueuedAt) {
    queue_.Tell(Pod(pod), Evicted(), now, kWall);
  }
  // The method of the call that is due; empty: there is none.
  std::string Asked(Instant now = kQueuedAt) {
    const auto call = queue_.TakeCall(now);
    body_ = call ? call->body : "";
    path_ = call ? call->path : "";
    return call ? call->method : "";
  }
  void Answer(CallResult result, Instant now = kQueuedAt) {
    queue_.Take(OutcomeOf(result), now, kWall);
  }

  EventQueue queue_{"bed"};
  std::string body_;
  std::string path_;
};

TEST_F(EventQueueTest, ANewEventIsMadeWithTheKubeletsFields) {
  Event event = Evicted();
  event.annotations = {{"starved_resource", "memory"}};
  queue_.Tell(Pod("web-1"), event, kQueuedAt, kWall);
  EXPECT_EQ(Asked(), "POST");
  EXPECT_EQ(path_, "/api/v1/namespaces/team/events");
  EXPECT_THAT(
      body_,
      AllOf(
          HasSubstr(R"("annotations":{"starved_resource":"memory"})"),
          HasSubstr(
              R"("involvedObject":{"kind":"Pod","apiVersion":"v1","namespace":"team","name":"web-1","uid":"u-web-1"})"),
          HasSubstr(R"("type":"Warning","reason":"Evicted","message":"m","count":1)"),
          HasSubstr(R"("source":{"component":"jettison","host":"bed"})")));
}

TEST_F(EventQueueTest, TheSameAgainIsCountedForTenMinutes) {
  const auto told = [this](minutes after, const std::string& message = "m") {
    queue_.Tell(Pod("a"), Evicted(message), kQueuedAt + after, kWall + after);
    const std::string method = Asked(kQueuedAt + after);
    Answer(CallResult::kDone, kQueuedAt + after);
    return method;
  };
  EXPECT_EQ(told(minutes(0)), "POST");
  EXPECT_EQ(told(minutes(9)), "PATCH");
  EXPECT_THAT(path_, HasSubstr("/events/a."));
  EXPECT_EQ(body_, R"({"count":2,"lastTimestamp":"2026-01-01T00:09:00Z"})");
  EXPECT_EQ(told(minutes(9), "another"), "POST");
  EXPECT_EQ(told(minutes(19)), "POST");
}

TEST_F(EventQueueTest, WhatHappensAgainIsCounted) {
  for (int i = 0; i < 2; ++i) Tell("a");
  (void)Asked();
  EXPECT_EQ(queue_.purpose(), CallPurpose::kCreateEvent);
  Answer(CallResult::kDone);
  EXPECT_EQ(Asked(), "PATCH");
  EXPECT_EQ(queue_.purpose(), CallPurpose::kCountEvent);
  Answer(CallResult::kGone);
  EXPECT_EQ(Asked(), "POST") << "the event has expired on the server";
  EXPECT_THAT(body_, HasSubstr(R"("count":2)"));
  Answer(CallResult::kGone);
  EXPECT_EQ(Asked(), "") << "nor can it be made";
}

TEST_F(EventQueueTest, WhileTheServerIsAwayTheOldestAreDropped) {
  Tell("first");
  EXPECT_EQ(Asked(), "POST");
  Answer(CallResult::kAway);
  for (int i = 0; i < 300; ++i) Tell(std::to_string(i));
  EXPECT_EQ(queue_.waiting(), EventQueue::kMostWaiting);
  EXPECT_EQ(queue_.dropped(), 100U);
  EXPECT_EQ(queue_.due(), kQueuedAt + milliseconds(200));
  EXPECT_EQ(Asked(kQueuedAt + milliseconds(200)), "POST");
  EXPECT_THAT(body_, HasSubstr("u-first"));
  Answer(CallResult::kDone);
  EXPECT_EQ(Asked(kQueuedAt + milliseconds(200)), "POST");
  EXPECT_THAT(body_, HasSubstr("u-100"));
}

TEST_F(EventQueueTest, AnEventIsGivenUpAfterTenMinutes) {
  Tell("a");
  Instant now = kQueuedAt;
  int tries = 0;
  while (queue_.dropped() == 0) {
    now = std::max(now, queue_.due().value());
    ASSERT_EQ(Asked(now), "POST");
    Answer(CallResult::kAway, now);
    ASSERT_LT(++tries, 100);
  }
  EXPECT_GE(now, kQueuedAt + EventQueue::kMostAge);
  EXPECT_LT(now, kQueuedAt + EventQueue::kMostAge + seconds(15));
  EXPECT_EQ(queue_.due(), std::nullopt);
}

}  // namespace
}  // namespace jettison::kube
