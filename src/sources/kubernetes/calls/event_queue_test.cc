#include "sources/kubernetes/calls/event_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace jettison::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

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
