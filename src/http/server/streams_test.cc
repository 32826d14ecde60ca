// Streams over the wire: asked, woken, limited, and ended from either side.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "http/server/testing/test_server.h"
#include "http/server/testing/test_wire.h"

namespace jettison::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// What streams are to send, told by the test; and how many of them there are.
class Feed {
 public:
  void Say(const std::string& text) {
    const std::lock_guard lock(mutex_);
    said_ += text;
  }
  void End() { is_over_ = true; }
  [[nodiscard]] long alive() const { return alive_.use_count() - 1; }
  [[nodiscard]] int asked() const { return asked_; }

  // A stream that sends all that is said, from the beginning.
  HttpStream Stream() {
    return [this, alive = alive_, sent = std::size_t{0}]() mutable -> std::optional<std::string> {
      ++asked_;
      const std::lock_guard lock(mutex_);
      std::string rest = said_.substr(sent);
      sent = said_.size();
      if (rest.empty() && is_over_) return std::nullopt;
      return rest;
    };
  }

 private:
  std::mutex mutex_;
  std::string said_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> asked_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // each stream holds it
};

// Whether it becomes so within 20 s.
template <typename Condition>
bool Becomes(const Condition& condition) {
  for (int i = 0; i < 4000 && !condition(); ++i) ::poll(nullptr, 0, 5);
  return condition();
}

class HttpStreams : public ::testing::Test {
 protected:
  void Start(const HttpLimits& limits = {}) {
    ASSERT_TRUE(server_.Start(
        [this](const HttpRequest& request) -> HttpResponse {
          if (request.path != "/watch") return {.body = "good"};
          return {.content_type = "text/event-stream", .stream = feed_.Stream()};
        },
        {}, limits))
        << server_.error.message;
  }
  Feed feed_;
  TestServer server_;
};

TEST_F(HttpStreams, BytesGoOutWhenWokenAndTheHeadAtOnce) {
  Start();
  Wire wire(server_.socket());
  wire.Send("GET /watch HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(wire.ReadUntil("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK"), HasSubstr("Content-Type: text/event-stream"),
                    HasSubstr("Transfer-Encoding: chunked")));
  for (const char* text : {"one", "two"}) {
    feed_.Say(text);
    server_.server().WakeStreams();
    EXPECT_THAT(wire.ReadUntil(text), HasSubstr(text));
  }
  feed_.End();
  server_.server().WakeStreams();
  EXPECT_THAT(wire.ReadUntil("0\r\n\r\n"), HasSubstr("0\r\n\r\n"));
  EXPECT_TRUE(Becomes([&] { return feed_.alive() == 0; }));
}

TEST_F(HttpStreams, TheConnectionOfAStreamGoesWithItAndLeavesItsPlace) {
  Start({.connections = 2});
  feed_.Say("bytes that are never read");
  for (int i = 0; i < 10; ++i) {
    {
      Wire wire(server_.socket());
      wire.Send("GET /watch HTTP/1.1\r\nHost: h\r\n\r\n");
      if (i % 2 == 0) wire.ReadUntil("read");
      // Woken and suspended several times before its client goes.
      for (int wake = 0; wake < 5; ++wake) {
        const int asked = feed_.asked();
        ASSERT_TRUE(Becomes([&] {
          server_.server().WakeStreams();
          return feed_.asked() > asked + 1;
        }));
      }
    }
    Wire other(server_.socket());
    other.Send(Ask("/"));
    ASSERT_THAT(other.ReadAll(std::chrono::seconds(5)), HasSubstr("good")) << i;
  }
}

TEST_F(HttpStreams, AClientThatDoesNotReadIsCut) {
  Start({.held_bytes = 40'000'000, .answer = std::chrono::milliseconds(200)});
  feed_.Say(std::string(30'000'000, 'x'));
  Wire wire(server_.socket());
  wire.Send(Ask("/watch"));
  ASSERT_TRUE(Becomes([&] { return feed_.alive() == 1; }));
  EXPECT_TRUE(Becomes([&] { return feed_.alive() == 0; }));
}

TEST_F(HttpStreams, ThatCannotGoOnHaveNoEndThatAClientCouldTakeForOne) {
  for (const bool breaks : {false, true}) {
    TestServer server;
    ASSERT_TRUE(server.Start([breaks](const HttpRequest&) -> HttpResponse {
      return {.stream = [breaks, begun = false]() mutable -> Result<std::optional<std::string>> {
        if (!std::exchange(begun, true)) return "begun";
        if (breaks) return Fail(ErrorCode::kInternal, "it cannot be read");
        return std::nullopt;
      }};
    }));
    Wire wire(server.socket());
    wire.Send(Ask("/"));
    const std::string sent = wire.ReadAll();
    EXPECT_THAT(sent, HasSubstr("begun"));
    EXPECT_EQ(sent.ends_with("0\r\n\r\n"), !breaks);
  }
}

TEST_F(HttpStreams, NotMoreThanAllowedAndOthersAreAnswered) {
  Start({.connections = 4, .streams = 2});
  Wire first(server_.socket());
  Wire second(server_.socket());
  for (Wire* wire : {&first, &second}) {
    wire->Send(Ask("/watch"));
    EXPECT_THAT(wire->ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK"));
  }
  Wire third(server_.socket());
  third.Send(Ask("/watch"));
  EXPECT_THAT(third.ReadAll(), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 10"),
                                     HasSubstr("503 there are 2 streams already")));
  Wire head(server_.socket());
  head.Send(Ask("/watch", "HEAD"));
  EXPECT_THAT(head.ReadAll(), StartsWith("HTTP/1.1 200 OK"));
  first.Close();
  ASSERT_TRUE(Becomes([&] { return feed_.alive() == 1; }));
  Wire fourth(server_.socket());
  fourth.Send(Ask("/watch"));
  EXPECT_THAT(fourth.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK"));
}

}  // namespace
}  // namespace jettison::http
