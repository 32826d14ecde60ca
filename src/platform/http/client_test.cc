#include "platform/http/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "platform/http/listen.h"
#include "platform/http/test_server.h"

namespace jettison::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(HttpClient, AsksAndPosts) {
  TestServer server;
  ASSERT_TRUE(server.Start([](const HttpRequest& request) -> HttpResponse {
    return {.status = request.method == "POST" ? 201 : 200,
            .content_type = "text/plain",
            .body = request.path + request.content_type + request.body,
            .headers = {{"X-A", "b"}}};
  })) << server.error.message;
  const HttpTarget target = {.endpoint = server.endpoint()};
  const auto got = HttpGet(target, "/a%20b?x=1");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->content_type, "text/plain");
  EXPECT_EQ(got->body, "/a b");
  EXPECT_THAT(got->headers, ::testing::Contains(::testing::Pair("X-A", "b")));
  const std::string large(200'000, 'x');
  const auto posted = HttpPost(target, "/p", large, "text/x");
  ASSERT_TRUE(posted) << posted.error().message;
  EXPECT_EQ(posted->status, 201);
  EXPECT_EQ(posted->body, "/ptext/x" + large);
}

TEST(HttpClient, ABodyThatTheServerRefusesStillGetsItsAnswer) {
  TestServer server;
  ASSERT_TRUE(server.Start([](const HttpRequest&) { return HttpResponse{}; }));
  const auto refused = HttpPost({.endpoint = server.endpoint()}, "/", std::string(1'100'000, 'x'));
  if (refused) {
    EXPECT_EQ(refused->status, 413);
  } else {
    // The kernel may drop the answer of a server that closes with bytes unread.
    EXPECT_THAT(refused.error().message, HasSubstr("broke off"));
  }
}

TEST(HttpClient, NobodyThereIsSaidWithWhatToDo) {
  const pod_host::TemporaryFolder folder;
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
}

TEST(HttpClient, AServerThatSaysNothingIsWaitedForOnlySoLong) {
  const pod_host::TemporaryFolder folder;
  const auto silent = SocketFile::Listen(folder.path() + "/j.sock", "");
  ASSERT_TRUE(silent);
  const auto answer = HttpGet(
      {.endpoint = "unix://" + folder.path() + "/j.sock", .timeout = std::chrono::milliseconds(50)},
      "/");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kDeadlineExceeded);
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

TEST(HttpClient, AStreamThatIsNoneIsAnErrorWithTheAnswersFirstLine) {
  TestServer server;
  ASSERT_TRUE(server.Start([](const HttpRequest&) {
    return HttpResponse{.status = 404, .body = "no such path\nmore"};
  }));
  const auto stream = HttpEventStream::Open({.endpoint = server.endpoint()}, "/watch");
  ASSERT_FALSE(stream);
  EXPECT_THAT(stream.error().message,
              AllOf(HasSubstr("404 no such path"), ::testing::Not(HasSubstr("more"))));
}

TEST(EncodedForUrl, AllButLettersDigitsAndFourSigns) {
  EXPECT_EQ(EncodedForUrl("aZ9-._~"), "aZ9-._~");
  EXPECT_EQ(EncodedForUrl("a b/c?\xC3\xA9%"), "a%20b%2Fc%3F%C3%A9%25");
}

}  // namespace
}  // namespace jettison::http
