// Clients that mean ill, many at once: nothing breaks, nothing is left, and others are answered.
// It counts the descriptors of the whole process, which is why it runs alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <vector>

#include "http/client/client.h"
#include "http/server/testing/test_server.h"
#include "http/server/testing/test_wire.h"

namespace jettison::http {
namespace {

using std::chrono::steady_clock;

constexpr int kRequests = 10'000;
constexpr std::size_t kAtOnce = 200;  // open at a time, three times what is allowed

std::size_t OpenDescriptors() {
  const auto all = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::string Noise(std::mt19937& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// What the request of that number begins with; slow ones never end.
std::string BadRequest(int number, std::mt19937& random) {
  const std::string post = "POST /p HTTP/1.1\r\nHost: h\r\n";
  switch (number % 12) {
    case 0: return Noise(random, 1 + random() % 300) + "\r\n\r\n";
    case 1: return "GET /" + Noise(random, 40) + " HTTP/1.1\r\nHost: h\r\n\r\n";
    case 2: return "GET /" + std::string(40'000, 'a');
    case 3: return "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(40'000, 'b');
    case 4: return "GET / HTTP/1.1\r\nHost: h\r\nX: y\r\n";  // slow
    case 5: return post + "Content-Length: 1000000\r\n\r\nslow";
    case 6: return post + "Content-Length: 99999999999999999999\r\n\r\n";
    case 7: return post + "Content-Length: -1\r\n\r\n";
    case 8: return post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n";
    case 9: return "GET /watch HTTP/1.1\r\nHost: h\r\n\r\n";
    case 10: return "";  // only there
    default: return "GET /?" + std::string(3000, '&') + " HTTP/1.1\r\nHost: h\r\n\r\n";
  }
}

class LiveHttpAbuse : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.Start(
        [](const HttpRequest& request) -> HttpResponse {
          if (request.path == "/watch") {
            // Something to begin with, as of a snapshot, then nothing.
            return {.stream = [first = std::string(4500, 's')]() mutable {
              return std::optional(std::exchange(first, {}));
            }};
          }
          return {.content_type = "text/plain", .body = "good"};
        },
        {.address = "127.0.0.1:0", .allow_any_local_user = true}))
        << server_.error.message;
  }

  // Sends one and keeps the last ones open; each third is half closed.
  void Abuse(int number) {
    if (open_.size() == kAtOnce) open_.erase(open_.begin());
    open_.push_back(number % 2 == 0 ? std::make_unique<Wire>(server_.socket())
                                    : std::make_unique<Wire>(server_.server().port()));
    Wire& wire = *open_.back();
    const std::string request = BadRequest(number, random_);
    (void)::send(wire.get(), request.data(), request.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (number % 3 == 0) wire.EndSending();
    if (number % 10 == 0) server_.server().WakeStreams();
    if (number % 100 == 0) AskWell();
  }

  void AskWell() {
    const auto start = steady_clock::now();
    const auto answer = HttpGet({.endpoint = server_.endpoint()}, "/good");
    longest_ = std::max(longest_, steady_clock::now() - start);
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_EQ(answer->body, "good");
    ++answered_;
  }

  TestServer server_;
  std::vector<std::unique_ptr<Wire>> open_;
  std::mt19937 random_{7};
  int answered_ = 0;
  steady_clock::duration longest_{};
};

TEST_F(LiveHttpAbuse, TenThousandBadRequestsLeaveNothingBehind) {
  const std::size_t descriptors = OpenDescriptors();
  for (int i = 0; i < kRequests; ++i) Abuse(i);
  open_.clear();
  const auto deadline = steady_clock::now() + std::chrono::seconds(20);
  while (OpenDescriptors() > descriptors && steady_clock::now() < deadline) {
    ::poll(nullptr, 0, 5);
  }
  EXPECT_EQ(OpenDescriptors(), descriptors);
  EXPECT_EQ(answered_, kRequests / 100);
  // Slow ones in the hundreds, all at once, each with a byte now and then.
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    open_.push_back(std::make_unique<Wire>(server_.socket()));
    open_.back()->Send("GET / HTTP/1.1\r\nHost: h\r\nX: ");
  }
  for (int round = 0; round < 20; ++round) {
    for (const auto& wire : open_) wire->Send("y");
    AskWell();
  }
  EXPECT_LT(longest_, std::chrono::seconds(1));
}

}  // namespace
}  // namespace jettison::http
