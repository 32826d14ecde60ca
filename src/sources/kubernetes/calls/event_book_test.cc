#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/kubernetes/calls/event_queue.h"

namespace jettison::kube {
namespace {

using std::chrono::minutes;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr WallTime kBookedAt{std::chrono::seconds(1'767'225'600)};
const EventObject kEventPod = {.kind = "Pod", .namespace_ = "team", .name = "web-1", .uid = "u-1"};
const Event kEvicted = {.object = "u-1",
                        .type = EventType::kWarning,
                        .reason = "Evicted",
                        .message = "m",
                        .annotations = {{"starved_resource", "memory"}}};

TEST(EventBook, ANewEventIsMadeWithTheKubeletsFields) {
  EventBook book("node-1");
  const auto told = book.Tell(kEventPod, kEvicted, kBookedAt);
  EXPECT_EQ(told.call.method, "POST");
  EXPECT_EQ(told.call.path, "/api/v1/namespaces/team/events");
  EXPECT_THAT(
      told.call.body,
      AllOf(
          HasSubstr(R"("annotations":{"starved_resource":"memory"})"),
          HasSubstr(
              R"("involvedObject":{"kind":"Pod","apiVersion":"v1","namespace":"team","name":"web-1","uid":"u-1"})"),
          HasSubstr(R"("type":"Warning","reason":"Evicted","message":"m","count":1)"),
          HasSubstr(R"("source":{"component":"jettison","host":"node-1"})")));
}

TEST(EventBook, ThoseOfANodeAreKeptInDefault) {
  EventBook book("node-1");
  const auto told = book.Tell({.kind = "Node", .namespace_ = "", .name = "node-1", .uid = "node-1"},
                              kEvicted, kBookedAt);
  EXPECT_EQ(told.call.path, "/api/v1/namespaces/default/events");
  EXPECT_THAT(told.call.body,
              HasSubstr(R"("involvedObject":{"kind":"Node","apiVersion":"v1","name":"node-1")"));
}

TEST(EventBook, TheSameAgainIsCountedForTenMinutes) {
  EventBook book("node-1");
  EXPECT_EQ(book.Tell(kEventPod, kEvicted, kBookedAt).call.method, "POST");
  const auto again = book.Tell(kEventPod, kEvicted, kBookedAt + minutes(9));
  EXPECT_EQ(again.call.method, "PATCH");
  EXPECT_THAT(again.call.path, HasSubstr("/events/web-1."));
  EXPECT_EQ(again.call.body, R"({"count":2,"lastTimestamp":"2026-01-01T00:09:00Z"})");
  EXPECT_EQ(book.Tell(kEventPod, kEvicted, kBookedAt + minutes(19)).call.method, "POST");
  Event other = kEvicted;
  other.message = "another";
  EXPECT_EQ(book.Tell(kEventPod, other, kBookedAt).call.method, "POST");
}

TEST(EventBook, OneThatTheServerForgotIsMadeAnewWithItsCount) {
  EventBook book("node-1");
  const auto first = book.Tell(kEventPod, kEvicted, kBookedAt);
  EXPECT_FALSE(book.Take(first.id, {}, kBookedAt));
  const auto second = book.Tell(kEventPod, kEvicted, kBookedAt);
  const auto anew = book.Take(second.id, {.result = CallResult::kGone}, kBookedAt + minutes(1));
  ASSERT_TRUE(anew);
  EXPECT_EQ(anew->call.method, "POST");
  EXPECT_THAT(anew->call.body, HasSubstr(R"("count":2)"));
  EXPECT_FALSE(book.Take(second.id, {.result = CallResult::kGone}, kBookedAt));  // an old answer
}

TEST(EventBook, OneThatCouldNotBeMadeIsMadeTheNextTime) {
  EventBook book("node-1");
  const auto first = book.Tell(kEventPod, kEvicted, kBookedAt);
  EXPECT_FALSE(book.Take(first.id, {.result = CallResult::kForbidden}, kBookedAt));
  EXPECT_EQ(book.Tell(kEventPod, kEvicted, kBookedAt).call.method, "POST");
}

TEST(EventBook, RemembersOnlySoMany) {
  EventBook book("node-1");
  for (int i = 0; i < 1000; ++i) {
    EventObject pod = kEventPod;
    pod.name += std::to_string(i);
    static_cast<void>(book.Tell(pod, kEvicted, kBookedAt));
  }
  EXPECT_EQ(book.size(), 256U);
}

}  // namespace
}  // namespace jettison::kube
