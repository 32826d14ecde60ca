#include "http/client/client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <future>

#include "http/server/listen.h"
#include "http/server/testing/test_server.h"
#include "http/server/testing/test_wire.h"
#include "ports/file_descriptor.h"

namespace jettison::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The next client, once there is one.
FileDescriptor Accept(const FileDescriptor& listening) {
  pollfd waiting = {.fd = listening.get(), .events = POLLIN, .revents = 0};
  ::poll(&waiting, 1, 20'000);
  return FileDescriptor(::accept(listening.get(), nullptr, nullptr));
}

TEST(HttpClient, AsksAndPosts) {
  TestServer server;
  ASSERT_TRUE(server.Start([](const HttpRequest& request) -> HttpResponse {
    return {.status = request.method == "POST" ? 201 : 200,
            .content_type = "text/plain",
            .body = request.path + request.content_type + request.body};
  })) << server.error.message;
  const HttpTarget target = {.endpoint = server.endpoint()};
  const auto got = HttpGet(target, "/a%20b?x=1");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->content_type, "text/plain");
  EXPECT_EQ(got->body, "/a b");
  const std::string large(200'000, 'x');
  const auto posted = HttpPost(target, "/p", large, "text/x");
  ASSERT_TRUE(posted) << posted.error().message;
  EXPECT_EQ(posted->status, 201);
  EXPECT_EQ(posted->body, "/ptext/x" + large);
}

TEST(HttpClient, NobodyThereIsSaidWithWhatToDo) {
  const kernel::TemporaryFolder folder;
  const HttpTarget target = {.endpoint = "unix://" + folder.path() + "/j.sock"};
  const auto absent = HttpGet(target, "/");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(absent.error().message,
              AllOf(HasSubstr("no agent answers at unix://" + folder.path() + "/j.sock"),
                    HasSubstr("is it running (jettison run)")));
  const std::string port = [] {
    const auto socket = ListenOn(*ParseTcpAddress("127.0.0.1:0"));
    return std::to_string(PortOf(*socket));
  }();
  const auto refused = HttpGet({.endpoint = "http://127.0.0.1:" + port}, "/");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("Connection refused; is it running"));
  const auto other = HttpGet({.endpoint = "http://127.0.0.1:" + port, .is_agent = false}, "/");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "nobody answers at http://127.0.0.1:" + port + ": Connection refused");
}

TEST(HttpClient, AServerThatSaysNothingIsWaitedForOnlySoLong) {
  const kernel::TemporaryFolder folder;
  const auto silent = ListenAt(folder.path() + "/j.sock", "");
  ASSERT_TRUE(silent);
  const auto answer = HttpGet(
      {.endpoint = "unix://" + folder.path() + "/j.sock", .timeout = std::chrono::milliseconds(50)},
      "/");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kDeadlineExceeded);
}

// What a server sends that wants to harm.
TEST(HttpClient, AnswersThatAreNoneAreErrors) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::pair<std::string, std::string> rows[] = {
      {"", "Empty reply"},
      {"SSH-2.0-OpenSSH\r\n\r\n", "not HTTP/1.1"},
      {ok + "Content-Length: -1\r\n\r\n", "not HTTP/1.1"},
      {ok + "Content-Length: 9\r\n\r\nhello", "transfer closed"},
      {ok + "Content-Length: 1001\r\n\r\n" + std::string(1001, 'x'), "more than 1000"},
      {ok + "\r\n" + std::string(1001, 'x'), "more than 1000"},
      {ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", "chunked"},
      {ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "transfer closed"},
      {ok + "X: " + std::string(400'000, 'x'), ""},
      {ok + "Location: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n", "taken"},
  };
  const kernel::TemporaryFolder folder;
  const auto listening = ListenAt(folder.path() + "/j.sock", "");
  ASSERT_TRUE(listening);
  const HttpTarget target = {.endpoint = "unix://" + folder.path() + "/j.sock",
                             .timeout = std::chrono::seconds(20),
                             .max_response_bytes = 1000};
  for (const auto& [bytes, problem] : rows) {
    auto answer = std::async(std::launch::async, [&] { return HttpGet(target, "/"); });
    FileDescriptor client = Accept(*listening);
    std::array<char, 4096> request;
    ASSERT_GT(::recv(client.get(), request.data(), request.size(), 0), 0);
    (void)::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    client.Close();
    const auto got = answer.get();
    EXPECT_THAT(got ? "taken" : got.error().message, HasSubstr(problem)) << bytes.substr(0, 80);
    EXPECT_EQ(got.has_value(), problem == "taken");
    const bool is_broken_off =
        problem == "Empty reply" || problem == "transfer closed" || problem == "chunked";
    if (!got && !problem.empty()) {
      EXPECT_EQ(got.error().code, is_broken_off ? ErrorCode::kUnavailable : ErrorCode::kInternal)
          << problem;
    }
  }
}

TEST(HttpClient, AFileOfCasThatHasNoneIsNamedWhereTlsIsSpoken) {
  TestServer server;
  ASSERT_TRUE(server.Start([](const HttpRequest&) { return HttpResponse{}; }));
  const std::string path = server.folder() + "/ca.pem";
  for (const char* text : {"", "no PEM\n"}) {
    std::ofstream(path) << text;
    const auto got = HttpGet({.endpoint = "https://127.0.0.1:1", .server_ca_file = path}, "/");
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(got.error().message, HasSubstr("there is no certificate in " + path));
    EXPECT_TRUE(HttpGet({.endpoint = server.endpoint(), .server_ca_file = path}, "/"));
  }
}

TEST(HttpClient, WhatIsTooLargeOrCannotBeAskedIsAnError) {
  TestServer server;
  ASSERT_TRUE(
      server.Start([](const HttpRequest&) { return HttpResponse{.body = std::string(101, 'x')}; }));
  HttpTarget target = {.endpoint = server.endpoint(), .max_response_bytes = 100};
  EXPECT_THAT(HttpGet(target, "/").error().message, HasSubstr("more than 100"));
  for (const char* path : {"", "x", "/a b", "/a\r\nX: y"}) {
    EXPECT_EQ(HttpGet(target, path).error().code, ErrorCode::kInvalidArgument) << path;
  }
  target.endpoint = "gopher://h";
  EXPECT_EQ(HttpGet(target, "/").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace jettison::http
