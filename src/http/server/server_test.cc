#include "http/server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "http/client/client.h"
#include "http/server/testing/test_server.h"
#include "http/server/testing/test_wire.h"
#include "ports/fakes/scarcity.h"

namespace jettison::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::size_t kLarge = 3'000'000;  // more than the kernel takes of it at once

// Answers with what it was asked, or with something large.
HttpResponse Echo(const HttpRequest& request) {
  if (request.path == "/large") return {.body = std::string(kLarge, 'x')};
  std::string body = request.method + " " + request.path;
  for (const auto& [name, value] : request.query) body += " " + name + "=" + value;
  return {
      .content_type = "text/plain",
      .body = body + "|" + request.content_type + "|" + request.last_event_id + "|" + request.body};
}

class HttpServerTest : public ::testing::Test {
 protected:
  void Start(const HttpLimits& limits = {}) {
    ASSERT_TRUE(server_.Start(Echo, {}, limits)) << server_.error.message;
  }
  std::string Asked(const std::string& request) {
    Wire wire(server_.socket());
    wire.Send(request);
    return wire.ReadAll();
  }
  // So many who have begun to take a large answer.
  std::vector<Wire> Reading(int count) {
    std::vector<Wire> reading;
    for (int i = 0; i < count; ++i) {
      reading.emplace_back(server_.socket());
      reading.back().Send(Ask("/large"));
      EXPECT_THAT(reading.back().ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
    }
    return reading;
  }
  TestServer server_;
};

TEST_F(HttpServerTest, AHandlerSeesWhatWasAsked) {
  Start();
  EXPECT_THAT(Asked("GET /a%20b/c?x=1%262&x=3&y&z=a+b HTTP/1.1\r\nHost: h\r\n"
                    "Last-Event-ID: 7\r\nConnection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Type: text/plain\r\n"),
                    HasSubstr("X-Content-Type-Options: nosniff\r\n"),
                    HasSubstr("Cache-Control: no-store\r\n"),
                    EndsWith("\r\n\r\nGET /a b/c x=1&2 y= z=a b||7|")));
  EXPECT_THAT(Asked("POST /p HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                    "Content-Length: 5\r\nConnection: close\r\n\r\nhello"),
              EndsWith("POST /p|application/json||hello"));
}

TEST_F(HttpServerTest, EachErrorHasItsStatusAndABodyFromTheCallersFunction) {
  Start({.body_bytes = 100});
  const std::string post = "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n";
  const std::string get = " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n";
  const std::pair<std::string, std::string> rows[] = {
      {post + "\r\n", "411 the length of a body"},
      {post + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "411 the length of a body"},
      {post + "Content-Length: 101\r\n\r\n" + std::string(101, 'x'), "413 a body may have 100"},
      {"DELETE /" + get + "\r\n", "405 the method must be"},
      {"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "400 a request of HTTP/1.1 needs a Host"},
  };
  for (const auto& [request, answer] : rows) {
    const std::string whole = Asked(request);
    EXPECT_THAT(whole, HasSubstr("\r\n\r\n" + answer)) << request.substr(0, 100);
    EXPECT_THAT(whole, StartsWith("HTTP/1.1 " + answer.substr(0, 3)));
  }
  EXPECT_THAT(Asked("DELETE /" + get + "\r\n"), HasSubstr("Allow: GET, HEAD, POST\r\n"));
  // What is no request at all, the library refuses.
  const std::string noise[] = {
      "GET / HTTP/2.0\r\nHost: h\r\nConnection: close\r\n\r\n", "GET /" + std::string(100'000, 'x'),
      "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(100'000, 'x'), "\x16\x03\x01 tls?\r\n\r\n"};
  for (const std::string& request : noise) {
    EXPECT_THAT(Asked(request), Not(HasSubstr(" 200 "))) << request.substr(0, 100);
  }
  EXPECT_THAT(Asked(Ask("/good")), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(HttpServerTest, ASocketThatAnotherPutInItsPlaceStays) {
  const kernel::TemporaryFolder folder;
  const std::string path = folder.path() + "/j.sock";
  TestServer second;
  {
    TestServer first;
    ASSERT_TRUE(first.Start(Echo, {.socket = path})) << first.error.message;
    std::filesystem::rename(path, path + ".old");
    ASSERT_TRUE(second.Start(Echo, {.socket = path})) << second.error.message;
  }
  EXPECT_TRUE(std::filesystem::exists(path)) << "the first one has ended";
}

TEST_F(HttpServerTest, ARequestThatDripsInIsCutInTime) {
  Start({.request = milliseconds(300)});
  const auto start = steady_clock::now();
  Wire head(server_.socket());
  Wire body(server_.socket());
  Wire silent(server_.socket());
  body.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n");
  head.Send("GET / HTTP/1.1\r\nHost: h\r\n");
  while (steady_clock::now() - start < milliseconds(250)) {
    head.Send("X: y\r\n");
    body.Send("z");
    ::poll(nullptr, 0, 20);
  }
  for (Wire* wire : {&head, &body, &silent}) {
    EXPECT_EQ(wire->ReadAll(), "");
    EXPECT_TRUE(wire->is_closed());
  }
  EXPECT_GE(steady_clock::now() - start, milliseconds(300));
}

TEST_F(HttpServerTest, AnAnswerThatIsNotTakenIsCut) {
  Start({.answer = milliseconds(200)});
  Wire wire(server_.socket());
  wire.Send(Ask("/large"));
  ::poll(nullptr, 0, 600);
  EXPECT_LT(wire.ReadAll().size(), kLarge);
  EXPECT_TRUE(wire.is_closed());
}

TEST_F(HttpServerTest, TheOldestIncompleteOneMakesRoom) {
  Start({.connections = 3});
  std::vector<Wire> slow;
  for (int i = 0; i < 3; ++i) {
    slow.emplace_back(server_.socket());
    slow.back().Send("GET / HTTP/1.1\r\n");
  }
  EXPECT_THAT(Asked(Ask("/")), HasSubstr("GET /|"));
  EXPECT_EQ(slow[0].ReadAll(), "");
  slow[1].Send("Host: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(slow[1].ReadAll(), HasSubstr("GET /|")) << "the others may go on";
}

TEST_F(HttpServerTest, WhereAllAreBeingAnsweredNewOnesAreTurnedAway) {
  Start({.connections = 2});
  std::vector<Wire> reading = Reading(2);
  EXPECT_THAT(Asked(Ask("/")), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1"),
                                     HasSubstr("2 connections already")));
  reading[0].ReadAll();
  EXPECT_THAT(Asked(Ask("/")), HasSubstr("GET /|"));
}

TEST_F(HttpServerTest, ABodyThatOthersLeaveNoRoomForIsRefusedAndTakenLater) {
  Start({.held_bytes = 150'000});
  const std::string post =
      "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 80000\r\n\r\n";
  Wire slow(server_.socket());
  slow.Send(post + "x");
  EXPECT_EQ(slow.ReadUntil("x", milliseconds(50)), "");
  EXPECT_THAT(Asked(post), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1")));
  slow.Close();
  const std::string body(80'000, 'x');
  std::string answer;
  for (int i = 0; i < 1000 && !answer.ends_with("|" + body); ++i) answer = Asked(post + body);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200")) << "given back when it went";
}

TEST_F(HttpServerTest, AnswersThatNobodyTakesLeaveNoRoomForMoreAndSmallOnesGoOn) {
  Start({.held_bytes = 3 * kLarge + kLarge / 2});
  std::vector<Wire> never_reading = Reading(3);
  EXPECT_THAT(Asked(Ask("/large")), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1")));
  EXPECT_THAT(Asked(Ask("/")), HasSubstr("GET /|"));
  never_reading.clear();
  std::string answer;
  for (int i = 0; i < 1000 && answer.size() < kLarge; ++i) answer = Asked(Ask("/large"));
  EXPECT_GT(answer.size(), kLarge) << "given back when they went";
}

// Somebody who stays connected meanwhile must not matter.
TEST_F(HttpServerTest, WhoeverCameWhileThereWasNoDescriptorIsTakenInLater) {
  Start();
  Wire stays(server_.socket());
  const auto ask_on_it = [&stays](const std::string& path) {
    stays.Send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_THAT(stays.ReadUntil("GET " + path + "|"), HasSubstr("GET " + path + "|"));
  };
  ask_on_it("/first");
  std::optional<Wire> waits;
  {
    const ScarceDescriptors scarce(1);  // which the client takes
    waits.emplace(server_.socket());
    waits->Send(Ask("/later"));
    ask_on_it("/second");  // answered in a turn in which the server saw the other one, too
  }
  EXPECT_THAT(waits->ReadAll(), HasSubstr("GET /later|"));
}

// However few there are: it serves, or says that it cannot.
TEST_F(HttpServerTest, AServerWithoutDescriptorsIsAnError) {
  bool refused = false;
  bool served = false;
  for (int spare = 0; spare < 20; ++spare) {
    TestServer server;
    bool started = false;
    {
      const ScarceDescriptors scarce(spare);
      started = server.Start(Echo);
    }
    refused = refused || server.error.code == ErrorCode::kUnavailable;
    if (!started) continue;
    served = true;
    EXPECT_TRUE(HttpGet({.endpoint = server.endpoint()}, "/")) << spare;
  }
  EXPECT_TRUE(refused);
  EXPECT_TRUE(served);
}

}  // namespace
}  // namespace jettison::http
