// One budget for everything that is held for clients.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "http/server/testing/test_server.h"
#include "http/server/testing/test_wire.h"

namespace jettison::http {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

HttpResponse SizedByPath(const HttpRequest& request) {
  if (request.path == "/large") return {.body = std::string(1'000'000, 'x')};
  return {.body = "good " + std::to_string(request.body.size())};
}

std::string Post(std::size_t bytes, std::string_view headers = "") {
  return "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(bytes) + "\r\n\r\n";
}

TEST(HttpServerHeldMemory, ABodyThatOthersLeaveNoRoomForIsRefusedAndTakenLater) {
  TestServer server;
  ASSERT_TRUE(server.Start(SizedByPath, {.limits = {.bodies_bytes = 150'000}}))
      << server.error.message;
  Wire slow(server.socket());
  slow.Send(Post(100'000) + "x");
  EXPECT_EQ(slow.ReadUntil("x", milliseconds(50)), "");
  Wire other(server.socket());
  other.Send(Post(100'000));
  EXPECT_THAT(other.ReadAll(), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1")));
  slow.Send(std::string(99'999, 'x'));
  EXPECT_THAT(slow.ReadAll(), EndsWith("good 100000"));
  Wire again(server.socket());
  again.Send(Post(100'000) + std::string(100'000, 'x'));
  EXPECT_THAT(again.ReadAll(), EndsWith("good 100000"));
}

TEST(HttpServerHeldMemory, AnswersThatNobodyTakesLeaveNoRoomForMoreAndSmallOnesGoOn) {
  TestServer server;
  ASSERT_TRUE(server.Start(SizedByPath, {.limits = {.held_bytes = 3'500'000}}))
      << server.error.message;
  std::vector<Wire> never_reading;
  for (int i = 0; i < 3; ++i) {
    never_reading.emplace_back(server.socket());
    never_reading.back().Send(Ask("/large"));
    EXPECT_THAT(never_reading.back().ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  }
  Wire large(server.socket());
  large.Send(Ask("/large"));
  EXPECT_THAT(large.ReadAll(), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1")));
  Wire small(server.socket());
  small.Send(Ask("/"));
  EXPECT_THAT(small.ReadAll(), EndsWith("good 0"));
  never_reading.clear();
  std::string answer;
  for (int i = 0; i < 1000 && answer.size() < 1'000'000; ++i) {
    Wire later(server.socket());
    later.Send(Ask("/large"));
    answer = later.ReadAll();
  }
  EXPECT_GT(answer.size(), 1'000'000U) << "given back when they went";
}

TEST(HttpServerOrigin, APageOfAnotherOriginMayNotAsk) {
  TestServer server;
  ASSERT_TRUE(server.Start(SizedByPath)) << server.error.message;
  const auto asked_from = [&](const std::string& origin) {
    Wire wire(server.socket());
    wire.Send("GET / HTTP/1.1\r\nHost: localhost:8080\r\nConnection: close\r\nOrigin: " + origin +
              "\r\n\r\n");
    return wire.ReadAll().substr(0, 12);
  };
  for (const char* own : {"http://localhost:8080", "https://LocalHost:8080"}) {
    EXPECT_EQ(asked_from(own), "HTTP/1.1 200") << own;
  }
  for (const char* foreign : {"http://localhost", "http://localhost:80800", "https://evil.example",
                              "null", "http://localhost:8080.evil.example", "localhost:8080"}) {
    EXPECT_EQ(asked_from(foreign), "HTTP/1.1 403") << foreign;
  }
}

}  // namespace
}  // namespace jettison::http
