#include <gmock/gmock.h>

#include "sources/kubernetes/node/node_pressure.h"

namespace jettison::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using namespace testing;

constexpr Instant kNow{seconds(1'767'225'600)};
constexpr WallTime kWall{seconds(1'767'225'600)};
constexpr auto kMemory = NodeConditionType::kMemoryPressure;
constexpr auto kDisk = NodeConditionType::kDiskPressure;
constexpr auto kIo = NodeConditionType::kSystemDiskContentionPressure;

// A node with these taints and conditions.
std::string NodeJson(int version, const std::string& taints, const std::string& conditions = "") {
  return R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"bed","uid":"n-1","resourceVersion":")" +
         std::to_string(version) + R"("},"spec":{"taints":[)" + taints +
         R"(]},"status":{"conditions":[)" + conditions + "]}}";
}
std::string OurTaint(const std::string& what) {
  return R"({"key":"jettison.io/)" + what + R"(","effect":"NoSchedule"})";
}
ApiReply Answer(int version, const std::string& taints = "") {
  return {.status = 200, .body = NodeJson(version, taints)};
}
ApiNode NodeWith(const std::string& conditions) {
  return ReadApiNode(NodeJson(1, "", conditions)).value();
}

class PressureTaintsTest : public testing::Test {
 protected:
  // The method of the call that is due; empty: there is none.
  std::string Asked(Instant now = kNow) {
    const auto call = taints_.TakeCall(now);
    body_ = call ? call->body : "";
    return call ? call->method : "";
  }
  void Read(const std::string& taints = "") {
    ASSERT_EQ(Asked(), "GET");
    taints_.Take(Answer(1, taints), kNow);
  }

  PressureTaints taints_{"bed", kNow};
  std::string body_;
};

TEST_F(PressureTaintsTest, AnEvictionGetsItsTaintAtOnceAndOnlyForAWhile) {
  Read();
  taints_.Urge(kDisk, kNow);
  EXPECT_EQ(Asked(), "PATCH");
  taints_.Take(Answer(2, OurTaint("disk-pressure")), kNow);
  EXPECT_TRUE(taints_.IsSettled(kDisk));
  const Instant end = kNow + PressureTaints::kUrgeHolds;
  EXPECT_EQ(taints_.due(), end);
  EXPECT_EQ(Asked(end - milliseconds(1)), "");
  EXPECT_EQ(Asked(end), "PATCH");
  EXPECT_THAT(body_, Not(HasSubstr("disk-pressure")));
}

TEST_F(PressureTaintsTest, AReadThatWorksDoesNotHasteAChangeThatFails) {
  Read();
  taints_.Set(kMemory, true);
  Instant now = kNow;
  int calls = 0;
  for (; now < kNow + minutes(1); ++calls) {
    const std::string next = Asked(now);
    ASSERT_FALSE(next.empty());
    taints_.Take(next == "PATCH" ? ApiReply{.status = 503} : Answer(2, ""), now);
    now = std::max(now, taints_.due().value());
  }
  EXPECT_LT(calls, 25);
}

TEST_F(PressureTaintsTest, WhatAnEarlierLifeLeftGoesUnlessItHolds) {
  Read(OurTaint("memory-pressure") + "," + OurTaint("disk-pressure") +
       R"(,{"key":"foreign","effect":"NoSchedule"})");
  EXPECT_TRUE(taints_.IsSettled(kMemory));
  taints_.Set(kMemory, true);
  const Instant later = kNow + PressureTaints::kLeftoversStay;
  EXPECT_EQ(taints_.due(), later);
  EXPECT_EQ(Asked(later), "PATCH");
  EXPECT_THAT(body_, AllOf(HasSubstr("memory-pressure"), HasSubstr("foreign"),
                           Not(HasSubstr("disk-pressure"))));
}

TEST_F(PressureTaintsTest, StallsOnIoHaveNoTaint) {
  Read();
  taints_.Set(kIo, true);
  taints_.Urge(kIo, kNow);
  EXPECT_TRUE(taints_.IsSettled(kIo));
  EXPECT_EQ(taints_.due(), std::nullopt);
}

class PressureConditionsTest : public testing::Test {
 protected:
  // The body of the call that is due; empty: there is none.
  std::string Asked(Instant now = kNow) {
    const auto call = conditions_.TakeCall(now, kWall);
    return call ? call->body : "";
  }
  void SetAndAnswer(NodeConditionType condition, bool holds) {
    conditions_.Set(condition, holds, kWall);
    ASSERT_NE(Asked(), "");
    conditions_.Take({}, kNow);
  }

  PressureConditions conditions_{"bed", kNow + seconds(30)};
};

TEST_F(PressureConditionsTest, AChangeIsWrittenWithItsTime) {
  conditions_.Set(kMemory, true, kWall - seconds(60));
  conditions_.Set(kMemory, true, kWall);
  const std::string body = Asked();
  EXPECT_THAT(body, AllOf(HasSubstr(R"("type":"JettisonMemoryPressure","status":"True")"),
                          HasSubstr(R"("reason":"JettisonHasInsufficientMemory")"),
                          HasSubstr(R"("lastHeartbeatTime":"2026-01-01T00:00:00Z")"),
                          HasSubstr(R"("lastTransitionTime":"2025-12-31T23:59:00Z")"),
                          Not(HasSubstr("Disk"))));
  EXPECT_EQ(Asked(), "") << "one call at a time";
  conditions_.Take({}, kNow);
  SetAndAnswer(kMemory, false);
  EXPECT_EQ(conditions_.due(), std::nullopt) << "no heartbeat while none holds";
  EXPECT_FALSE(conditions_.IsClean());
}

constexpr const char* kLeft =
    R"({"type":"JettisonMemoryPressure","status":"True","lastTransitionTime":"2025-06-01T00:00:00Z"},)"
    R"({"type":"JettisonDiskPressure","status":"False"},{"type":"MemoryPressure","status":"False"})";

TEST_F(PressureConditionsTest, WhatAnEarlierLifeLeftIsTakenAway) {
  conditions_.Found(NodeWith(kLeft));
  EXPECT_EQ(conditions_.due(), kNow + seconds(30));
  EXPECT_EQ(Asked(kNow + seconds(30)),
            R"({"status":{"conditions":[{"$patch":"delete","type":"JettisonMemoryPressure"},)"
            R"({"$patch":"delete","type":"JettisonDiskPressure"}]}})");
  conditions_.Take({.result = CallResult::kAway}, kNow + seconds(30));
  EXPECT_THAT(Asked(kNow + seconds(31)), HasSubstr("$patch"));
  conditions_.Take({}, kNow + seconds(31));
  EXPECT_TRUE(conditions_.IsClean());
  EXPECT_EQ(conditions_.due(), std::nullopt);
}

TEST_F(PressureConditionsTest, WhatStillHoldsKeepsItsTimeAndHasAHeartbeatAgain) {
  conditions_.Found(NodeWith(kLeft));
  conditions_.Set(kMemory, true, kWall);
  EXPECT_THAT(Asked(), AllOf(HasSubstr(R"("lastTransitionTime":"2025-06-01T00:00:00Z")"),
                             HasSubstr(R"("lastHeartbeatTime":"2026-01-01T00:00:00Z")")));
  conditions_.Take({}, kNow);
  EXPECT_THAT(Asked(kNow + seconds(30)), AllOf(HasSubstr("$patch"), Not(HasSubstr("Memory"))));
  conditions_.Take({}, kNow + seconds(30));
  EXPECT_EQ(conditions_.due(), kNow + seconds(90));
}

}  // namespace
}  // namespace jettison::kube
