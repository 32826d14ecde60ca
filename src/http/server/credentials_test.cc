#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <fstream>
#include <future>
#include <string>
#include <utility>

#include "http/client/client.h"
#include "http/server/testing/test_server.h"
#include "http/testing/test_certificates.h"

namespace jettison::http {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

HttpResponse Fine(const HttpRequest&) {
  return {.content_type = "text/plain", .body = "good"};
}

class HttpCredentials : public ::testing::Test {
 protected:
  HttpCredentials() {
    old_ca_.Write(folder_.path(), "old-ca");
    new_ca_.Write(folder_.path(), "new-ca");
    TestCertificate("server", &old_ca_, GNUTLS_KP_TLS_WWW_SERVER).Write(folder_.path(), "server");
    std::ofstream(File("token")) << "first\n";
    options_.address = "127.0.0.1:0";
    options_.tls_cert_file = File("server.pem");
    options_.tls_private_key_file = File("server.key");
    options_.bearer_token_file = File("token");
  }
  [[nodiscard]] std::string File(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  [[nodiscard]] HttpTarget Target(const std::string& ca, const std::string& token) {
    return {.endpoint = "https://127.0.0.1:" + std::to_string(server_.server().port()),
            .timeout = seconds(20),
            .server_ca_file = File(ca + ".pem"),
            .bearer_token = token};
  }
  // What is used soon, is used within this time.
  [[nodiscard]] bool SoonAnswers(const HttpTarget& target) {
    const auto deadline = steady_clock::now() + seconds(20);
    while (steady_clock::now() < deadline) {
      const auto answer = HttpGet(target, "/");
      if (answer && answer->status == 200) return true;
      ::poll(nullptr, 0, 10);
    }
    return false;
  }
  void WriteNewCertificate(const std::string& name) const {
    TestCertificate("server", &new_ca_, GNUTLS_KP_TLS_WWW_SERVER).Write(folder_.path(), name);
  }

  kernel::TemporaryFolder folder_;
  const TestCertificate old_ca_{"ca", nullptr, nullptr};
  const TestCertificate new_ca_{"ca", nullptr, nullptr};
  HttpServerOptions options_;
  TestServer server_;
};

TEST_F(HttpCredentials, ANewCertificateIsShownWhenItIsToBeUsedAndNotBefore) {
  ASSERT_TRUE(server_.Start(Fine, options_)) << server_.error.message;
  EXPECT_TRUE(SoonAnswers(Target("old-ca", "first")));
  WriteNewCertificate("server");
  const auto use = server_.server().ReadCredentials(options_);
  ASSERT_TRUE(use);
  EXPECT_TRUE(SoonAnswers(Target("old-ca", "first")));
  (*use)();
  EXPECT_TRUE(SoonAnswers(Target("new-ca", "first")));
  EXPECT_FALSE(HttpGet(Target("old-ca", "first"), "/"));
}

TEST_F(HttpCredentials, FaultyOnesChangeNothing) {
  ASSERT_TRUE(server_.Start(Fine, options_)) << server_.error.message;
  std::ofstream(File("faulty.pem")) << "no certificate";
  HttpServerOptions faulty = options_;
  faulty.tls_cert_file = File("faulty.pem");
  EXPECT_FALSE(server_.server().ReadCredentials(faulty));
  faulty = options_;
  faulty.bearer_token_file = File("missing");
  EXPECT_FALSE(server_.server().ReadCredentials(faulty));
  EXPECT_TRUE(SoonAnswers(Target("old-ca", "first")));
}

// A client that is in the middle of something with the old certificate neither hangs nor harms.
TEST_F(HttpCredentials, StreamsWithTheOldOnesEnd) {
  std::promise<void> asked;
  const auto endless = [&asked](const HttpRequest&) {
    return HttpResponse{.content_type = "text/event-stream",
                        .stream = [&asked, times = 0]() mutable {
                          if (++times == 2) asked.set_value();
                          return std::optional<std::string>(times > 1 ? "" : ": hello\n\n");
                        }};
  };
  ASSERT_TRUE(server_.Start(endless, options_)) << server_.error.message;
  const auto target = Target("old-ca", "first");
  auto answer = std::async(std::launch::async, [&] { return HttpGet(target, "/"); });
  ASSERT_EQ(asked.get_future().wait_for(seconds(20)), std::future_status::ready);
  WriteNewCertificate("server");
  const auto use = server_.server().ReadCredentials(options_);
  ASSERT_TRUE(use);
  (*use)();
  const auto cut = answer.get();
  EXPECT_TRUE(cut || cut.error().code != ErrorCode::kDeadlineExceeded) << cut.error().message;
}

}  // namespace
}  // namespace jettison::http
