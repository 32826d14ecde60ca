#include "api/serve.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "core/units/http_url.h"
#include "http/client/client.h"
#include "http/server/listen.h"
#include "http/testing/test_certificates.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/file_descriptor.h"
#include "view/board.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kAdmitted = 404;  // there is no such path
constexpr int kRefused = 401;

// What takes effect of credentials that are read again while an agent is asked.
class ServingTest : public testing::Test {
 protected:
  ServingTest() {
    const std::string folder = folder_.path();
    const http::TestCertificate ca("ca", nullptr, nullptr);
    ca.Write(folder, "ca");
    http::TestCertificate("server", &ca, GNUTLS_KP_TLS_WWW_SERVER).Write(folder, "server");
    http::TestCertificate("client", &ca, GNUTLS_KP_TLS_WWW_CLIENT).Write(folder, "client");
    std::ofstream(File("token")) << "s3cret\n";
  }
  [[nodiscard]] std::string File(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  [[nodiscard]] HttpConfig Plain() const {
    return {.socket = File("j.sock"), .address = Address(port_), .allow_any_local_user = true};
  }
  [[nodiscard]] HttpConfig WithTls() const {
    return {.socket = File("j.sock"),
            .address = Address(port_),
            .tls_cert_file = File("server.pem"),
            .tls_private_key_file = File("server.key")};
  }
  static std::string Address(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }
  static FileDescriptor ListenAnywhere() {
    auto listening = http::ListenOn(*ParseTcpAddress("127.0.0.1:0"));
    EXPECT_TRUE(listening);
    return std::move(*listening);
  }

  void Serve(const HttpConfig& config) {
    auto opened = Serving::Open(config, board_);
    ASSERT_TRUE(opened) << opened.error().message;
    serving_ = std::move(*opened);
  }
  // As on SIGHUP. What was read counts for whatever is asked from now on.
  void Reload(const HttpConfig& config) {
    const auto use = serving_->ReadCredentials(config);
    ASSERT_TRUE(use) << use.error().message;
    (*use)();
  }
  [[nodiscard]] HttpTarget Target(const std::string& scheme) const {
    return {.endpoint = scheme + "://" + Address(port_),
            .timeout = seconds(20),
            .server_ca_file = File("ca.pem")};
  }
  [[nodiscard]] HttpTarget Certified() const {
    HttpTarget target = Target("https");
    target.cert_file = File("client.pem");
    target.private_key_file = File("client.key");
    return target;
  }
  static HttpTarget WithToken(HttpTarget target, const std::string& token) {
    target.bearer_token = token;
    return target;
  }
  // 0: no answer.
  static int Status(const HttpTarget& target) {
    const auto answer = HttpGet(target, "/no-such-path");
    return answer ? answer->status : 0;
  }
  static int StatusSoon(const HttpTarget& target) {
    const auto deadline = steady_clock::now() + seconds(20);
    while (steady_clock::now() < deadline) {
      if (const int status = Status(target); status != 0) return status;
      ::poll(nullptr, 0, 10);
    }
    return 0;
  }

  kernel::TemporaryFolder folder_;
  std::uint16_t port_ = http::PortOf(ListenAnywhere());
  Board board_;
  std::unique_ptr<Serving> serving_;
};

TEST_F(ServingTest, ClientCertificatesThatAreRemovedAdmitUntilARestart) {
  HttpConfig config = WithTls();
  config.client_ca_file = File("ca.pem");
  config.bearer_token_file = File("token");
  Serve(config);
  ASSERT_EQ(StatusSoon(Certified()), kAdmitted);
  config.client_ca_file.clear();
  Reload(config);
  EXPECT_EQ(Status(Certified()), kAdmitted);
  EXPECT_EQ(Status(Target("https")), kRefused);
}

TEST_F(ServingTest, ATokenIsReadAgainAndOneThatIsRemovedWithItsFileStays) {
  HttpConfig config = WithTls();
  config.client_ca_file = File("ca.pem");
  config.bearer_token_file = File("token");
  Serve(config);
  ASSERT_EQ(StatusSoon(WithToken(Target("https"), "s3cret")), kAdmitted);
  std::ofstream(File("token")) << "other\n";
  Reload(config);
  EXPECT_EQ(Status(WithToken(Target("https"), "other")), kAdmitted);
  std::filesystem::remove(File("token"));
  config.bearer_token_file.clear();
  Reload(config);
  EXPECT_EQ(Status(WithToken(Target("https"), "other")), kRefused) << "its file is gone";
  // So it is with TLS.
  std::filesystem::remove(File("server.pem"));
  config.tls_cert_file.clear();
  config.tls_private_key_file.clear();
  Reload(config);
  EXPECT_EQ(Status(Certified()), kAdmitted);
}

TEST_F(ServingTest, WhatNeedsARestartNeedsOneBeforeAnybodyIsServed) {
  FileDescriptor others = ListenAnywhere();
  port_ = http::PortOf(others);
  Serve(Plain());
  HttpConfig added = Plain();
  added.allow_any_local_user = false;
  added.bearer_token_file = File("token");
  const auto use = serving_->ReadCredentials(added);
  ASSERT_TRUE(use);
  others = {};
  (*use)();
  EXPECT_EQ(StatusSoon(Target("http")), kAdmitted);
}

}  // namespace
}  // namespace jettison
