#include "http/server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "http/server/testing/test_server.h"
#include "http/server/testing/test_wire.h"

namespace jettison::http {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Answers with what it was asked.
HttpResponse Echo(const HttpRequest& request) {
  std::string body = request.method + " " + request.path;
  for (const auto& [name, value] : request.query) body += " " + name + "=" + value;
  return {
      .content_type = "text/plain",
      .body = body + "|" + request.content_type + "|" + request.last_event_id + "|" + request.body};
}

std::string Asked(const TestServer& server, const std::string& request) {
  Wire wire(server.socket());
  wire.Send(request);
  return wire.ReadAll();
}

TEST(HttpServer, AHandlerSeesWhatWasAsked) {
  TestServer server;
  ASSERT_TRUE(server.Start(Echo)) << server.error.message;
  EXPECT_THAT(Asked(server,
                    "GET /a%20b/c?x=1%262&x=3&y&z=a+b HTTP/1.1\r\nHost: h\r\n"
                    "Last-Event-ID: 7\r\nConnection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Type: text/plain\r\n"),
                    HasSubstr("X-Content-Type-Options: nosniff\r\n"),
                    HasSubstr("Cache-Control: no-store\r\n"),
                    EndsWith("\r\n\r\nGET /a b/c x=1&2 y= z=a b||7|")));
  EXPECT_THAT(Asked(server,
                    "POST /p HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                    "Content-Length: 5\r\nConnection: close\r\n\r\nhello"),
              EndsWith("POST /p|application/json||hello"));
}

TEST(HttpServer, EachErrorHasItsStatusAndABodyFromTheCallersFunction) {
  TestServer server;
  ASSERT_TRUE(server.Start(Echo, {.limits = {.body_bytes = 100}})) << server.error.message;
  const std::string post = "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n";
  const std::string get = " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n";
  const std::pair<std::string, std::string> rows[] = {
      {post + "\r\n", "411 POST needs a Content-Length"},
      {post + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "411 the length of a body"},
      {post + "Content-Length: 101\r\n\r\n" + std::string(101, 'x'), "413 a body may have 100"},
      {post + "Content-Length: 9\r\nContent-Encoding: gzip\r\n\r\n123456789",
       "415 a body must not"},
      {"GET /" + std::string(4096, 'x') + get + "\r\n", "414 path and query may have 4096"},
      {"GET /" + get + "X: " + std::string(8192, 'x') + "\r\n\r\n", "431 request line and headers"},
      {"DELETE /" + get + "\r\n", "405 the method must be"},
      {"GET /%00" + get + "\r\n", "400 path and query must not"},
      {"GET http://h/" + get + "\r\n", "400 the target of a request"},
      {"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "400 a request of HTTP/1.1 needs a Host"},
  };
  for (const auto& [request, answer] : rows) {
    const std::string whole = Asked(server, request);
    EXPECT_THAT(whole, HasSubstr("\r\n\r\n" + answer)) << request.substr(0, 100);
    EXPECT_THAT(whole, StartsWith("HTTP/1.1 " + answer.substr(0, 3)));
  }
  EXPECT_THAT(Asked(server, "DELETE /" + get + "\r\n"), HasSubstr("Allow: GET, HEAD, POST\r\n"));
}

TEST(HttpServer, ASocketThatAnotherPutInItsPlaceStays) {
  const kernel::TemporaryFolder folder;
  const std::string path = folder.path() + "/j.sock";
  TestServer second;
  {
    TestServer first;
    ASSERT_TRUE(first.Start(Echo, {.socket_path = path})) << first.error.message;
    std::filesystem::rename(path, path + ".old");
    ASSERT_TRUE(second.Start(Echo, {.socket_path = path})) << second.error.message;
  }
  EXPECT_TRUE(std::filesystem::exists(path)) << "the first one has ended";
}

TEST(HttpServer, WhatIsNoRequestAtAllIsRefusedByTheLibrary) {
  TestServer server;
  ASSERT_TRUE(server.Start(Echo)) << server.error.message;
  EXPECT_THAT(Asked(server, "GET / HTTP/2.0\r\nHost: h\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 505 "));
  EXPECT_THAT(Asked(server, "GET /" + std::string(100'000, 'x')), Not(HasSubstr(" 200 ")));
  EXPECT_THAT(Asked(server, "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(100'000, 'x')),
              Not(HasSubstr(" 200 ")));
  EXPECT_THAT(Asked(server, "\x16\x03\x01 tls?\r\n\r\n"), Not(HasSubstr(" 200 ")));
  EXPECT_THAT(Asked(server, Ask("/good")), StartsWith("HTTP/1.1 200 OK"));
}

}  // namespace
}  // namespace jettison::http
