#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/api.h"
#include "api/test_snapshot.h"
#include "codec/documents/json.h"
#include "core/model/fault.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const PodFacts> PodOf(const std::string& name, std::int64_t memory,
                                      std::int32_t priority) {
  Pod pod{.name = name, .uid = "uid-" + name, .priority = priority};
  Container container{.name = "c"};
  if (memory > 0) container.resources.requests.emplace("memory", Quantity::Of(memory));
  pod.containers.push_back(std::move(container));
  return std::make_shared<const PodFacts>(FactsOf(std::move(pod), Profile::kKubelet));
}

// 1000 bytes of memory for pods, 600 of them taken by one of priority 10.
Snapshot Node() {
  Snapshot snapshot = TestSnapshot(0);
  auto identity = std::make_shared<NodeIdentity>(*snapshot.node);
  identity->allocatable[1] = Quantity::Of(1000).ToNanos();
  snapshot.node = identity;
  snapshot.pods.push_back(ViewOf(PodOf("there", 600, 10)));
  return snapshot;
}

TEST(AnswerAdmit, OfAThousandFaultsAHundredAreListedAndTheRestCounted) {
  std::string body = "{\"spec\":{\"containers\":[{}";
  for (int i = 0; i < 999; ++i) body += ",{}";
  const HttpResponse answer = AnswerAdmit(Node(), body + "]}}");
  EXPECT_EQ(answer.status, 422);
  const auto status = ParseJson(answer.body);
  ASSERT_TRUE(status);
  const auto& causes = *status->Find("details")->Find("causes")->AsList();
  ASSERT_EQ(causes.size(), kMostFaults + 1);
  EXPECT_THAT(*causes.back().Find("message")->AsString(), HasSubstr("more"));
}

TEST(AnswerAdmit, WhatBecomesLargeInMemoryIsRefused) {
  const auto repeated = [](std::string start, std::string_view part, std::string_view end) {
    while (start.size() < 250'000) start += part;
    return start += end;
  };
  for (const std::string& body :
       {repeated("", "{}", ""), repeated("{\"spec\":{\"containers\":[", "{},", "{}]}}"),
        repeated("[", "0,", "0]"), repeated("- ", "a: [a]\n- ", "a"), repeated("a: [", "[],", "]"),
        repeated("a: &a [x]\nb: [", "*a,", "]")}) {
    const HttpResponse answer = AnswerAdmit(Node(), body);
    EXPECT_EQ(answer.status, 400) << body.substr(0, 40);
    EXPECT_THAT(answer.body, HasSubstr("more memory than is allowed")) << answer.body;
  }
}

// The answer to a new pod that requests so much memory.
std::string AnswerTo(const Snapshot& snapshot, int memory) {
  const HttpResponse answer =
      AnswerAdmit(snapshot,
                  "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"new\"},"
                  "\"spec\":{\"containers\":[{\"name\":\"c\",\"command\":[\"x\"],\"resources\":"
                  "{\"requests\":{\"memory\":\"" +
                      std::to_string(memory) + "\"}}}]}}");
  EXPECT_EQ(answer.status, 200) << answer.body;
  return answer.body;
}

TEST(AnswerAdmit, APodThatFitsMayStartAndAnotherIsRefusedInTheKubeletsWords) {
  EXPECT_THAT(AnswerTo(Node(), 400), HasSubstr(R"("admit":true,"reason":"","message":"")"));
  const std::string answer = AnswerTo(Node(), 401);
  EXPECT_THAT(answer, HasSubstr(R"("admit":false,"reason":"OutOfmemory")"));
  EXPECT_THAT(answer, HasSubstr("resource: memory, requested: 401, used: 600"));
  Snapshot snapshot = Node();
  snapshot.conditions.Set(NodeConditionType::kDiskPressure);
  const std::string pressed = AnswerTo(snapshot, 1);
  EXPECT_THAT(pressed, HasSubstr(R"("admit":false,"reason":"Evicted")"));
  EXPECT_THAT(pressed, HasSubstr("DiskPressure"));
}

TEST(AnswerAdmit, APodThatWaitsToComeBackHoldsNoPlaceAndOneThatEndsWillGiveItsUp) {
  Snapshot snapshot = Node();
  snapshot.pods[0].activity = PodActivity::kWaiting;
  snapshot.pods[0].status.phase = PodPhase::kFailed;
  EXPECT_THAT(AnswerTo(snapshot, 1000), HasSubstr(R"("admit":true)"));
  snapshot.pods[0].activity = PodActivity::kTerminating;
  EXPECT_THAT(AnswerTo(snapshot, 1000),
              HasSubstr(R"("admit":true,"reason":"","message":"the pod would wait)"));
}

TEST(AnswerAdmit, TellsWhatItUnderstoodOfThePod) {
  const HttpResponse answer = AnswerAdmit(Node(), R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"name":"new"},"spec":{"containers":[{"name":"c","command":["x"],
      "resources":{"limits":{"memory":"2000"}}}]}})");
  EXPECT_EQ(answer.status, 200);
  const auto json = ParseJson(answer.body);
  ASSERT_TRUE(json) << answer.body;
  EXPECT_FALSE(*json->Find("admit")->AsBool());
  EXPECT_EQ(*json->Find("reason")->AsString(), "OutOfmemory");
  EXPECT_EQ(*json->Find("pod")->AsString(), "default/new");
  EXPECT_EQ(*json->Find("qosClass")->AsString(), "Burstable");
}

TEST(AnswerAdmit, WhatIsNoPodOrNoneThatCanBeRunIsRefusedWithEveryFault) {
  const HttpResponse answer = AnswerAdmit(
      Node(), "apiVersion: v1\nkind: Pod\nmetadata: {name: BAD}\nspec: {containers: []}\n");
  EXPECT_EQ(answer.status, 422);
  EXPECT_THAT(answer.body, HasSubstr(R"("reason":"Invalid")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("field":"metadata.name")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("field":"spec.containers")"));
  EXPECT_EQ(AnswerAdmit(Node(), "[]").status, 422);
  for (const char* body : {"", "{", "a: 1\n---\nb: 2\n", "{\"a\":1}{\"b\":2}"}) {
    EXPECT_EQ(AnswerAdmit(Node(), body).status, 400) << body;
  }
}

}  // namespace
}  // namespace jettison
