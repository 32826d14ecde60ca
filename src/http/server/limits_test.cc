// Limits of time and number over the wire.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "http/server/testing/test_server.h"
#include "http/server/testing/test_wire.h"

namespace jettison::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

HttpResponse WithBody(const HttpRequest& request) {
  return {.content_type = "text/plain", .body = "good " + request.body};
}

TEST(HttpServerLimits, ARequestThatDripsInIsCutInTimeWithAWord) {
  TestServer server;
  ASSERT_TRUE(server.Start(WithBody, {.limits = {.request = milliseconds(300)}}))
      << server.error.message;
  const auto start = steady_clock::now();
  Wire head(server.socket());
  Wire body(server.socket());
  Wire silent(server.socket());
  body.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n");
  head.Send("GET / HTTP/1.1\r\nHost: h\r\n");
  while (steady_clock::now() - start < milliseconds(250)) {
    head.Send("X: y\r\n");
    body.Send("z");
    ::poll(nullptr, 0, 20);
  }
  for (Wire* wire : {&head, &body, &silent}) {
    EXPECT_THAT(wire->ReadAll(), AllOf(StartsWith("HTTP/1.1 408"), HasSubstr("408 the request")));
    EXPECT_TRUE(wire->is_closed());
  }
  EXPECT_GE(steady_clock::now() - start, milliseconds(300));
}

TEST(HttpServerLimits, AnAnswerThatIsNotTakenIsCut) {
  TestServer server;
  ASSERT_TRUE(server.Start(
      [](const HttpRequest&) { return HttpResponse{.body = std::string(30'000'000, 'x')}; },
      {.limits = {.held_bytes = 40'000'000, .answer = milliseconds(200)}}))
      << server.error.message;
  Wire wire(server.socket());
  wire.Send(Ask("/"));
  ::poll(nullptr, 0, 600);
  EXPECT_LT(wire.ReadAll().size(), 30'000'000U);
  EXPECT_TRUE(wire.is_closed());
}

TEST(HttpServerLimits, TheOldestIncompleteOneMakesRoom) {
  TestServer server;
  ASSERT_TRUE(server.Start(WithBody, {.limits = {.connections = 3}})) << server.error.message;
  std::vector<Wire> slow;
  for (int i = 0; i < 3; ++i) {
    slow.emplace_back(server.socket());
    slow.back().Send("GET / HTTP/1.1\r\n");
  }
  Wire good(server.socket());
  good.Send(Ask("/"));
  EXPECT_THAT(good.ReadAll(), EndsWith("good "));
  EXPECT_THAT(slow[0].ReadAll(), StartsWith("HTTP/1.1 408"));
  slow[1].Send("Host: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(slow[1].ReadAll(), EndsWith("good ")) << "the others may go on";
}

TEST(HttpServerLimits, WhereAllAreBeingAnsweredNewOnesAreTurnedAway) {
  TestServer server;
  ASSERT_TRUE(server.Start(
      [](const HttpRequest& request) {
        return HttpResponse{.body =
                                request.path == "/large" ? std::string(3'000'000, 'x') : "good"};
      },
      {.limits = {.connections = 2}}))
      << server.error.message;
  std::vector<Wire> reading;
  for (int i = 0; i < 2; ++i) {
    reading.emplace_back(server.socket());
    reading.back().Send(Ask("/large"));
    EXPECT_THAT(reading.back().ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  }
  Wire turned_away(server.socket());
  EXPECT_THAT(turned_away.ReadAll(),
              AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("2 connections already")));
  reading[0].ReadAll();
  Wire later(server.socket());
  later.Send(Ask("/"));
  EXPECT_THAT(later.ReadAll(), EndsWith("good"));
}

}  // namespace
}  // namespace jettison::http
