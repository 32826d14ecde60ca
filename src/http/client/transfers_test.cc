#include "http/client/transfers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "http/client/transfers_test_fixture.h"
#include "http/server/listen.h"

namespace jettison::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST_F(Transfers, SendWhatTheyAreGivenAndTakeTheAnswer) {
  Serve([](const HttpRequest& request) -> HttpResponse {
    return {.status = 201,
            .body = request.method + request.path + request.content_type + request.body,
            .headers = {{"Retry-After", "7"}}};
  });
  Ask({.method = "POST", .path = "/a%20b", .content_type = "text/x", .body = "hello"});
  ASSERT_TRUE(Answered());
  ASSERT_TRUE(answers_[0]) << answers_[0].error().message;
  EXPECT_EQ(answers_[0]->status, 201);
  EXPECT_EQ(answers_[0]->body, "POST/a btext/xhello");
  EXPECT_EQ(answers_[0]->retry_after, Duration(seconds(7)));
  EXPECT_EQ(transfers_->under_way(), 0U);
}

TEST_F(Transfers, OneThatLastsDelaysNoOther) {
  std::atomic<bool> over = false;
  std::atomic<int> lines = 0;
  Serve([&](const HttpRequest& request) -> HttpResponse {
    if (request.path != "/stream") return {.body = "quick"};
    return {.stream = [&]() -> std::optional<std::string> {
      if (over) return std::nullopt;
      return lines++ == 0 ? "first\n" : "";
    }};
  });
  std::string got;
  Ask({.path = "/stream"}, [&](std::string_view bytes) { got += bytes; });
  ASSERT_TRUE(TurnUntil([&] { return got == "first\n"; }));
  Ask({.path = "/"});
  ASSERT_TRUE(Answered());
  EXPECT_EQ(answers_[0]->body, "quick");
  EXPECT_EQ(transfers_->under_way(), 1U);
  over = true;
  server_.server().WakeStreams();
  ASSERT_TRUE(Answered(2));
  ASSERT_TRUE(answers_[1]);
  EXPECT_EQ(answers_[1]->body, "");
}

TEST_F(Transfers, WhatIsTooLargeIsLeftOut) {
  Serve([](const HttpRequest&) -> HttpResponse { return {.body = std::string(101, 'x')}; });
  Ask({.path = "/", .most_bytes = 100});
  Ask({.path = "/", .most_bytes = 101});
  Ask({.path = "/", .most_bytes = 100}, [](std::string_view) {});
  ASSERT_TRUE(Answered(3));
  for (const auto& answer : answers_) {
    if (!answer) {
      EXPECT_THAT(answer.error().message, HasSubstr("more than 100 bytes"));
    } else if (answer->is_too_large) {
      EXPECT_EQ(answer->status, 200);
      EXPECT_EQ(answer->body, "");
    } else {
      EXPECT_EQ(answer->body.size(), 101U);
    }
  }
  EXPECT_EQ(std::ranges::count_if(answers_, [](const auto& one) { return !one; }), 1);
  EXPECT_EQ(
      std::ranges::count_if(answers_, [](const auto& one) { return one && one->is_too_large; }), 1);
}

TEST_F(Transfers, EachLimitOfTimeHoldsByItself) {
  Serve([](const HttpRequest& request) -> HttpResponse {
    bool told = request.path != "/bytes";
    return {.stream = [told]() mutable -> std::optional<std::string> {
      return std::exchange(told, true) ? "" : "x";
    }};
  });
  const auto silent = ListenOn(*ParseTcpAddress("127.0.0.1:0"));
  ASSERT_TRUE(silent);
  const HttpExchange rows[] = {
      {.path = "/", .timeout = milliseconds(50)},
      {.path = "/bytes", .silence = milliseconds(50)},
  };
  for (const HttpExchange& row : rows) Ask(row, [](std::string_view) {});
  ASSERT_TRUE(Answered(std::size(rows)));
  Connect({.endpoint = "http://127.0.0.1:" + std::to_string(PortOf(*silent))});
  Ask({.path = "/", .answers_within = milliseconds(50)});
  ASSERT_TRUE(Answered(std::size(rows) + 1));
  for (const auto& answer : answers_) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kDeadlineExceeded) << answer.error().message;
  }
}

}  // namespace
}  // namespace jettison::http
