// Who may ask on TCP: loopback, tokens, TLS with client certificates.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "http/client/client.h"
#include "http/server/server.h"
#include "http/server/testing/test_server.h"
#include "http/server/testing/test_wire.h"
#include "http/testing/test_certificates.h"

namespace jettison::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

HttpResponse Good(const HttpRequest&) {
  return {.content_type = "text/plain", .body = "good"};
}

class HttpAccess : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<kernel::TemporaryFolder>();
    const TestCertificate ca("ca", nullptr, nullptr);
    const TestCertificate other_ca("ca", nullptr, nullptr);
    ca.Write(File(""), "ca");
    other_ca.Write(File(""), "other-ca");
    TestCertificate("server", &ca, GNUTLS_KP_TLS_WWW_SERVER).Write(File(""), "server");
    TestCertificate("client", &ca, GNUTLS_KP_TLS_WWW_CLIENT).Write(File(""), "client");
    TestCertificate("client", &other_ca, GNUTLS_KP_TLS_WWW_CLIENT).Write(File(""), "stranger");
    std::ofstream(File("token")) << "s3cret\n";
    std::ofstream(File("empty"));
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string File(const std::string& name) { return folder_->path() + "/" + name; }

  // TLS on a free port, for whom `options` say.
  void StartTls(HttpServerOptions options) {
    options.address = "127.0.0.1:0";
    options.tls_cert_file = File("server.pem");
    options.tls_private_key_file = File("server.key");
    ASSERT_TRUE(server_.Start(Good, std::move(options))) << server_.error.message;
  }
  [[nodiscard]] HttpTarget Target(const std::string& scheme) {
    return {.endpoint = scheme + "://127.0.0.1:" + std::to_string(server_.server().port()),
            .timeout = std::chrono::seconds(20),
            .server_ca_file = File("ca.pem")};
  }
  [[nodiscard]] HttpTarget With(HttpTarget target, const std::string& certificate) const {
    target.cert_file = File(certificate + ".pem");
    target.private_key_file = File(certificate + ".key");
    return target;
  }
  static int Status(const HttpTarget& target) {
    const auto response = HttpGet(target, "/");
    return response ? response->status : -static_cast<int>(response.error().code);
  }

  TestServer server_;

 private:
  inline static std::unique_ptr<kernel::TemporaryFolder> folder_;
};

TEST_F(HttpAccess, OnLoopbackWhoeverGetsThereMayAskAHostThatIsNoName) {
  ASSERT_TRUE(server_.Start(Good, {.address = "127.0.0.1:0"})) << server_.error.message;
  const auto response = HttpGet(Target("http"), "/");
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "good");
  const auto asked = [&](const std::string& host) {
    Wire wire(server_.server().port());
    wire.Send("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    return wire.ReadAll();
  };
  EXPECT_THAT(asked("localhost:8080"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(asked("[::1]"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(asked("rebound.example"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(asked("127.0.0.1.example:80"), StartsWith("HTTP/1.1 403"));
}

// `ssh -L 8080:/run/jettison/jettison.sock` gives it to every page of a browser.
TEST_F(HttpAccess, OnTheSocketAHostMustBeNoDomainName) {
  ASSERT_TRUE(server_.Start(Good, {}));
  const auto asked = [&](const std::string& host) {
    Wire wire(server_.socket());
    wire.Send("GET / HTTP/1.0\r\n" + host + "\r\n");
    return wire.ReadAll();
  };
  for (const char* host : {"localhost", "h", "127.0.0.1:8080", "[::1]:8080", "10.1.2.3", ""}) {
    EXPECT_THAT(asked(std::string("Host: ") + host + "\r\n"), HasSubstr(" 200 ")) << host;
  }
  EXPECT_THAT(asked(""), HasSubstr(" 200 "));
  for (const char* host : {"evil.example:8080", "127.0.0.1.evil.example", "evil."}) {
    EXPECT_THAT(asked(std::string("Host: ") + host + "\r\n"), HasSubstr(" 403 ")) << host;
  }
}

TEST_F(HttpAccess, WithATokenItMustBeSentOnTcpAndNotOnTheSocket) {
  ASSERT_TRUE(server_.Start(Good, {.address = "127.0.0.1:0", .bearer_token_file = File("token")}));
  HttpTarget target = Target("http");
  const auto refused = HttpGet(target, "/");
  ASSERT_TRUE(refused) << refused.error().message;
  EXPECT_EQ(refused->status, 401);
  EXPECT_EQ(refused->body, "401 the right bearer token is needed");
  target.bearer_token = "s3cre";
  EXPECT_EQ(Status(target), 401);
  target.bearer_token = "s3cret";
  EXPECT_EQ(Status(target), 200);
  EXPECT_EQ(Status({.endpoint = server_.endpoint()}), 200);
}

TEST_F(HttpAccess, OnlyTheTokenThatTheFileHasNowMatches) {
  const std::string path = File("changing");
  // As secrets are replaced: whole, under the same name.
  const auto write = [&](const std::string& text) {
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);
  };
  write("  s3cret\n");
  ASSERT_TRUE(server_.Start(Good, {.address = "127.0.0.1:0", .bearer_token_file = path}));
  const auto is_let_in = [&](const std::string& authorization) {
    Wire wire(server_.server().port());
    wire.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: " + authorization +
              "\r\n\r\n");
    return wire.ReadAll().starts_with("HTTP/1.1 200");
  };
  for (const char* right : {"Bearer s3cret", "bearer s3cret", "Bearer  s3cret "}) {
    EXPECT_TRUE(is_let_in(right)) << right;
  }
  for (const char* wrong : {"", "Bearer", "Bearer ", "s3cret", "Bearer s3cre", "Bearer s3crets",
                            "Bearer s3cres", "Bearer s3crets3cret", "Basic s3cret"}) {
    EXPECT_FALSE(is_let_in(wrong)) << wrong;
  }
  write("other");
  EXPECT_FALSE(is_let_in("Bearer s3cret"));
  EXPECT_TRUE(is_let_in("Bearer other"));
  write("\n");
  EXPECT_FALSE(is_let_in("Bearer other"));
  EXPECT_FALSE(is_let_in("Bearer "));
  std::filesystem::remove(path);
  EXPECT_FALSE(is_let_in("Bearer other"));
}

TEST_F(HttpAccess, WithAClientCaACertificateIsNeeded) {
  StartTls({.client_ca_file = File("ca.pem")});
  const HttpTarget target = Target("https");
  EXPECT_EQ(Status(With(target, "client")), 200);
  EXPECT_EQ(Status(target), 401);
  EXPECT_NE(Status(With(target, "stranger")), 200);
  EXPECT_EQ(Status(With(target, "server")), 401) << "its purpose is another";
}

TEST_F(HttpAccess, ACertificateOrATokenIsEnoughWhereBothAreConfigured) {
  StartTls({.client_ca_file = File("ca.pem"), .bearer_token_file = File("token")});
  HttpTarget target = Target("https");
  EXPECT_EQ(Status(With(target, "client")), 200);
  EXPECT_EQ(Status(target), 401);
  target.bearer_token = "s3cret";
  EXPECT_EQ(Status(target), 200);
}

TEST_F(HttpAccess, WhatIsNotSafeOrCannotBeUsedIsRefusedAtTheStart) {
  const std::string cert = File("server.pem");
  const std::string key = File("server.key");
  const std::string ca = File("ca.pem");
  const std::string all = "0.0.0.0:0";
  const std::pair<HttpServerOptions, const char*> rows[] = {
      {{.address = "nonsense"}, "is not an IP address with a port"},
      {{.address = all}, "needs TLS"},
      {{.address = "[::]:0", .bearer_token_file = File("token")}, "needs TLS"},
      {{.address = all, .tls_cert_file = cert, .tls_private_key_file = key}, "who they are"},
      {{.address = "127.0.0.1:0", .bearer_token_file = File("absent")}, "No such file"},
      {{.address = "127.0.0.1:0", .bearer_token_file = File("empty")}, "openssl rand"},
      {{.address = "127.0.0.1:0", .tls_cert_file = cert, .tls_private_key_file = File("ca.key")},
       "cannot be used together"},
      {{.address = "127.0.0.1:0", .tls_cert_file = File("empty"), .tls_private_key_file = key},
       "cannot be used together"},
      {{.address = "127.0.0.1:0",
        .tls_cert_file = cert,
        .tls_private_key_file = key,
        .client_ca_file = File("empty")},
       "no certificate in"},
  };
  for (const auto& [options, words] : rows) {
    TestServer refused;
    EXPECT_FALSE(refused.Start(Good, options)) << words;
    EXPECT_THAT(refused.error.message, HasSubstr(words));
    EXPECT_THAT(refused.error.message, StartsWith("serve HTTP: "));
  }
  StartTls({.client_ca_file = ca});  // and on another address than loopback
  TestServer open;
  EXPECT_TRUE(open.Start(
      Good,
      {.address = all, .tls_cert_file = cert, .tls_private_key_file = key, .client_ca_file = ca}))
      << open.error.message;
}

}  // namespace
}  // namespace jettison::http
