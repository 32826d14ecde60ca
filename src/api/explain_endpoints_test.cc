#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/notify/eviction_history.h"
#include "api/api.h"
#include "api/test_snapshot.h"
#include "codec/documents/json.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using Query = std::map<std::string, std::string, std::less<>>;

std::shared_ptr<const PastEviction> Kept(std::uint64_t number, const std::string& name) {
  PastEviction kept{.number = number, .id = EvictionId(number), .at = kTestNow};
  kept.pod = {.namespace_ = "default", .name = name, .uid = "uid-of-" + name};
  kept.signal = "memory.available";
  kept.summary = "default/" + name + " was evicted.";
  kept.text = "why " + kept.id + "\n";
  kept.json = R"({"kind":"Explanation","id":")" + kept.id + "\"}\n";
  return std::make_shared<const PastEviction>(std::move(kept));
}

class ExplainEndpoints : public testing::Test {
 protected:
  ExplainEndpoints() : snapshot_(TestSnapshot(9)) {
    snapshot_.evictions =
        std::make_shared<const PastEvictions>(PastEvictions{Kept(4, "gone"), Kept(5, "app-3")});
  }
  HttpResponse Get(const std::string& path, Query query = {}) {
    board_.Turned(kTestNow);
    board_.Put(std::make_shared<const Snapshot>(snapshot_));
    return api_.Answer({.method = "GET", .path = path, .query = std::move(query)});
  }
  static std::string Message(const HttpResponse& answer) {
    const auto status = ParseJson(answer.body);
    return status ? *status->Find("message")->AsString() : "no JSON: " + answer.body;
  }

  Snapshot snapshot_;
  Board board_;
  Api api_{{.board = board_, .now = [] { return kTestNow; }, .started_at = kTestNow}};
};

TEST_F(ExplainEndpoints, WithoutAQuestionTellsWhatWouldHappenNow) {
  const HttpResponse answer = Get("/api/v1/explain");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.content_type, "application/json");
  const auto json = ParseJson(answer.body);
  ASSERT_TRUE(json);
  EXPECT_EQ(*json->Find("about")->AsString(), "node");
  EXPECT_EQ(*json->Find("outcome")->AsString(), "evicted");
}

TEST_F(ExplainEndpoints, TextIsAnsweredWhereItIsAskedFor) {
  const HttpResponse answer = Get("/api/v1/explain", {{"output", "text"}});
  EXPECT_EQ(answer.content_type, "text/plain; charset=utf-8");
  EXPECT_THAT(answer.body, HasSubstr("would be evicted: the node is low on memory."));
  EXPECT_THAT(Message(Get("/api/v1/explain", {{"output", "yaml"}})), HasSubstr("\"text\""));
}

TEST_F(ExplainEndpoints, APodIsFoundByEitherNameAndByUid) {
  const PodView& pod = snapshot_.pods[3];
  for (const std::string& name : {pod.name, pod.namespace_ + "/" + pod.name, pod.uid}) {
    const HttpResponse answer = Get("/api/v1/explain", {{"pod", name}});
    ASSERT_EQ(answer.status, 200) << answer.body;
    const auto json = ParseJson(answer.body);
    EXPECT_EQ(*json->Find("about")->AsString(), "pod");
    EXPECT_EQ(*json->Find("activity")->AsString(), "running");
    EXPECT_EQ(json->Find("evictions")->AsList()->size(), 1U);
  }
}

TEST_F(ExplainEndpoints, APodThatIsGoneIsExplainedByItsLastEviction) {
  EXPECT_EQ(Get("/api/v1/explain", {{"pod", "gone"}, {"output", "text"}}).body, "why ev-4\n");
  snapshot_.pods[3].activity = PodActivity::kWaiting;
  EXPECT_EQ(Get("/api/v1/explain", {{"pod", "app-3"}, {"output", "text"}}).body, "why ev-5\n");
}

TEST_F(ExplainEndpoints, AnUnknownPodIsRefusedWithANearName) {
  EXPECT_EQ(Get("/api/v1/explain", {{"pod", "ap-3"}}).status, 404);
  const auto is_near = [this](const char* name) {
    const std::string message = Message(Get("/api/v1/explain", {{"pod", name}}));
    return message.find("did you mean \"default/app-3\"?") != std::string::npos;
  };
  for (const char* near : {"default/ap-3", "ap-3", "defualt/app-3"}) {
    EXPECT_TRUE(is_near(near)) << near;
  }
  EXPECT_FALSE(is_near("default/nope")) << "a namespace that is right makes no name near";
  snapshot_.pods[2].activity = PodActivity::kWaiting;
  EXPECT_THAT(Message(Get("/api/v1/explain", {{"pod", "app-2"}})), HasSubstr("is waiting"));
}

TEST_F(ExplainEndpoints, APodThatIsNotMeasuredOrNotAloneOfItsNameIsSaidToBe) {
  snapshot_.pods[2].name = "fresh";
  snapshot_.pods[2].uid = "uid-of-fresh";
  snapshot_.pods[2].memory_working_set_bytes = std::nullopt;
  EXPECT_THAT(Message(Get("/api/v1/explain", {{"pod", "fresh"}})),
              HasSubstr("default/fresh is running, but no pass has measured it"));
  snapshot_.pods[2].name = snapshot_.pods[3].name;
  snapshot_.pods[2].namespace_ = "other";
  const HttpResponse answer = Get("/api/v1/explain", {{"pod", "app-3"}});
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(Message(answer), HasSubstr("other/app-3"));
}

TEST_F(ExplainEndpoints, EvictionsAreListedAndFoundById) {
  const auto list = ParseJson(Get("/api/v1/evictions").body);
  ASSERT_TRUE(list);
  EXPECT_EQ(*list->Find("kind")->AsString(), "EvictionList");
  ASSERT_EQ(list->Find("items")->AsList()->size(), 2U);
  EXPECT_EQ(*list->Find("items")->AsList()->front().Find("id")->AsString(), "ev-4");
  EXPECT_EQ(Get("/api/v1/evictions/ev-5").body, "{\"kind\":\"Explanation\",\"id\":\"ev-5\"}\n");
  EXPECT_EQ(Get("/api/v1/explain", {{"eviction", "ev-5"}}).status, 200);
  const HttpResponse unknown = Get("/api/v1/evictions/ev-9");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(Message(unknown), HasSubstr("the kept evictions are ev-4 to ev-5"));
}

TEST_F(ExplainEndpoints, ARankingListsEverybodyForASignal) {
  const auto json = ParseJson(Get("/api/v1/rank", {{"signal", "memory.available"}}).body);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->Find("pods")->AsList()->size(), 9U);
  EXPECT_THAT(Get("/api/v1/rank", {{"signal", "pid.available"}, {"output", "text"}}).body,
              HasSubstr("ORDER OF EVICTION for pid.available, 9 pods"));
  EXPECT_THAT(Message(Get("/api/v1/rank", {{"signal", "memory.avail"}})),
              HasSubstr("did you mean"));
  EXPECT_EQ(Get("/api/v1/rank").status, 400);
}

TEST_F(ExplainEndpoints, BeforeTheFirstPassNothingIsKnown) {
  snapshot_.passes = 0;
  EXPECT_EQ(Get("/api/v1/explain").status, 503);
  EXPECT_EQ(Get("/api/v1/explain", {{"pod", "app-3"}}).status, 503);
  EXPECT_EQ(Get("/api/v1/explain", {{"eviction", "ev-4"}}).status, 200);
}

}  // namespace
}  // namespace jettison
