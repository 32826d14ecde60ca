#include "http/client/transfers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "http/client/transfers_test_fixture.h"
#include "http/server/listen.h"
#include "ports/fakes/scarcity.h"

namespace jettison::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
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

TEST_F(Transfers, ConnectionsAreUsedAgain) {
  std::mutex mutex;
  std::set<std::string> peers;
  Serve([&](const HttpRequest& request) -> HttpResponse {
    const std::lock_guard lock(mutex);
    peers.insert(request.peer);
    return {};
  });
  for (std::size_t i = 1; i <= 5; ++i) {
    Ask({.path = "/"});
    ASSERT_TRUE(Answered(i));
  }
  const std::lock_guard lock(mutex);
  EXPECT_EQ(peers.size(), 1U);
}

TEST_F(Transfers, AStreamThatIsRefusedHasItsWordsInTheAnswer) {
  Serve([](const HttpRequest&) -> HttpResponse { return {.status = 410, .body = "expired"}; });
  std::string got;
  Ask({.path = "/"}, [&](std::string_view bytes) { got += bytes; });
  ASSERT_TRUE(Answered());
  EXPECT_EQ(answers_[0]->status, 410);
  EXPECT_EQ(answers_[0]->body, "expired");
  EXPECT_EQ(got, "");
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

TEST_F(Transfers, NothingIsToldOfWhatWasCancelled) {
  Serve([](const HttpRequest&) -> HttpResponse {
    return {.stream = []() -> std::optional<std::string> { return "x"; }};
  });
  const auto first = Ask({.path = "/"});
  transfers_->Cancel(first);
  transfers_->Cancel(first);
  std::vector<std::size_t> told;  // how many bytes each time
  HttpTransfers::Id at_begin = 0;
  at_begin = Ask({.path = "/"}, [&](std::string_view bytes) {
    told.push_back(bytes.size());
    transfers_->Cancel(at_begin);
  });
  ASSERT_TRUE(TurnUntil([&] { return !told.empty(); }));
  HttpTransfers::Id at_bytes = 0;
  bool is_over = false;
  at_bytes = Ask({.path = "/"}, [&](std::string_view bytes) {
    EXPECT_FALSE(is_over);
    is_over = !bytes.empty();
    if (is_over) transfers_->Cancel(at_bytes);
  });
  ASSERT_TRUE(TurnUntil([&] { return is_over; }));
  Ask({.path = "/", .timeout = milliseconds(50)}, [](std::string_view) {});
  ASSERT_TRUE(Answered());
  EXPECT_THAT(told, ElementsAre(0U));
  EXPECT_EQ(answers_.size(), 1U);
  EXPECT_EQ(transfers_->under_way(), 0U);
}

TEST_F(Transfers, ACallbackMayAskAgain) {
  Serve([](const HttpRequest& request) -> HttpResponse { return {.body = request.path}; });
  transfers_->Start({.path = "/one"}, [&](const Result<HttpAnswer>&) { Ask({.path = "/two"}); });
  ASSERT_TRUE(Answered());
  EXPECT_EQ(answers_[0]->body, "/two");
}

TEST_F(Transfers, AnyThreadEndsAWait) {
  Serve([](const HttpRequest&) -> HttpResponse { return {}; });
  std::thread other([&] { transfers_->Wake(); });
  const auto before = std::chrono::steady_clock::now();
  transfers_->Turn(kLongest);
  EXPECT_LT(std::chrono::steady_clock::now() - before, kLongest);
  other.join();
}

TEST_F(Transfers, NobodyThereAndWhatCannotBeAskedAreErrors) {
  const std::string port = [] {
    const auto socket = ListenOn(*ParseTcpAddress("127.0.0.1:0"));
    return std::to_string(PortOf(*socket));
  }();
  Connect({.endpoint = "http://127.0.0.1:" + port});
  Ask({.path = "/"});
  for (const char* path : {"", "x", "/a b", "/a\r\nX: y"}) Ask({.path = path});
  Ask({.path = "/", .bearer_token = "a\nb"});
  ASSERT_TRUE(Answered(6));
  int refused = 0;
  for (const auto& answer : answers_) {
    ASSERT_FALSE(answer);
    if (answer.error().code == ErrorCode::kInvalidArgument) {
      ++refused;
    } else {
      EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
      EXPECT_THAT(answer.error().message, HasSubstr("Connection refused"));
    }
  }
  EXPECT_EQ(refused, 5);
  EXPECT_FALSE(HttpTransfers::Open({.endpoint = "gopher://h"}));
  EXPECT_FALSE(HttpTransfers::Open({.endpoint = "unix:///run/x.sock"}));
}

TEST_F(Transfers, ANameThatIsLookedUpAgainKeepsNobodyFromTheKnownAddress) {
  std::string port;
  std::vector<std::function<void()>> lookups;
  {
    TestServer first;
    ASSERT_TRUE(first.Start([](const HttpRequest&) -> HttpResponse { return {.body = "first"}; },
                            {.address = "127.0.0.1:0"}));
    port = std::to_string(first.server().port());
    auto opened = HttpTransfers::Open(
        {.endpoint = "http://localhost:" + port},
        [&](std::function<void()> work) { lookups.push_back(std::move(work)); });
    ASSERT_TRUE(opened);
    transfers_ = std::move(*opened);
    Ask({.path = "/"});
    ASSERT_TRUE(Answered(1));
    ASSERT_TRUE(answers_[0]) << answers_[0].error().message;
    EXPECT_TRUE(lookups.empty()) << "without an address nothing can be sent";
  }
  Ask({.path = "/"});
  ASSERT_TRUE(Answered(2));
  ASSERT_FALSE(answers_[1]) << "nobody listens";
  TestServer second;
  ASSERT_TRUE(second.Start([](const HttpRequest&) -> HttpResponse { return {.body = "second"}; },
                           {.address = "127.0.0.1:" + port}));
  for (std::size_t count : {3U, 4U}) {
    Ask({.path = "/"});
    ASSERT_TRUE(Answered(count));
    ASSERT_TRUE(answers_.back()) << answers_.back().error().message;
    EXPECT_EQ(answers_.back()->body, "second");
    ASSERT_EQ(lookups.size(), 1U);
    if (count == 3U) lookups[0]();
  }
}

TEST_F(Transfers, ANameIsLookedUpWithoutAThread) {
  Serve([](const HttpRequest&) -> HttpResponse { return {.body = "here"}; });
  Connect({.endpoint = "http://localhost:" + Port()});
  const NoMoreThreads scarce;
  Ask({.path = "/"});
  ASSERT_TRUE(Answered());
  ASSERT_TRUE(answers_[0]) << answers_[0].error().message;
  EXPECT_EQ(answers_[0]->body, "here");
}

}  // namespace
}  // namespace jettison::http
