// Who may ask: loopback, tokens, TLS with client certificates, and those that are read anew.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <thread>

#include "http/client/client.h"
#include "http/server/server.h"
#include "http/server/testing/test_server.h"
#include "http/server/testing/test_wire.h"
#include "http/testing/test_certificates.h"

namespace jettison::http {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

HttpResponse Good(const HttpRequest&) {
  return {.content_type = "text/plain", .body = "good"};
}

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class HttpAccess : public ::testing::Test {
 protected:
  HttpAccess() {
    ca_.Write(folder_.path(), "ca");
    other_ca_.Write(folder_.path(), "other-ca");
    TestCertificate("server", &ca_, GNUTLS_KP_TLS_WWW_SERVER).Write(folder_.path(), "server");
    TestCertificate("client", &ca_, GNUTLS_KP_TLS_WWW_CLIENT).Write(folder_.path(), "client");
    TestCertificate("client", &other_ca_, GNUTLS_KP_TLS_WWW_CLIENT)
        .Write(folder_.path(), "stranger");
    std::ofstream(File("token")) << "s3cret\n";
    std::ofstream(File("empty"));
  }
  [[nodiscard]] std::string File(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  // TLS on a free port, for whom `config` says.
  HttpConfig StartTls(HttpConfig config, const HttpHandler& handler = Good) {
    config.address = "127.0.0.1:0";
    config.tls_cert_file = File("server.pem");
    config.tls_private_key_file = File("server.key");
    EXPECT_TRUE(server_.Start(handler, config)) << server_.error.message;
    return config;
  }
  // Later the server's certificate is of another CA.
  void ReplaceCertificate() const {
    TestCertificate("server", &other_ca_, GNUTLS_KP_TLS_WWW_SERVER).Write(folder_.path(), "server");
  }
  [[nodiscard]] HttpTarget Target(const std::string& scheme, const std::string& token = "",
                                  const std::string& ca = "ca.pem") {
    return {.endpoint = scheme + "://127.0.0.1:" + std::to_string(server_.server().port()),
            .timeout = seconds(20),
            .server_ca_file = File(ca),
            .bearer_token = token};
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
  // What is used soon, is used within this time.
  static bool SoonAnswers(const HttpTarget& target) {
    const auto deadline = steady_clock::now() + seconds(20);
    while (Status(target) != 200 && steady_clock::now() < deadline) ::poll(nullptr, 0, 10);
    return Status(target) == 200;
  }
  // The status of a request with that header, on TCP or on the socket.
  [[nodiscard]] std::string Asked(const std::string& header, bool on_socket = false) {
    Wire wire = on_socket ? Wire(server_.socket()) : Wire(server_.server().port());
    wire.Send("GET / HTTP/1.0\r\n" + header + "\r\n\r\n");
    return wire.ReadAll().substr(9, 3);
  }

  kernel::TemporaryFolder folder_;
  const TestCertificate ca_{"ca", nullptr, nullptr};
  const TestCertificate other_ca_{"ca", nullptr, nullptr};
  TestServer server_;
};

// Nor may a page whose name resolves to this machine, or to which `ssh -L` gives the socket.
TEST_F(HttpAccess, WithoutCredentialsAHostMustBeNoNameAndAnOriginItsOwn) {
  ASSERT_TRUE(server_.Start(Good, {.address = "127.0.0.1:0", .allow_any_local_user = true}));
  for (const char* host : {"localhost", "127.0.0.1:8080", "[::1]:8080", "[::1]", "10.1.2.3"}) {
    EXPECT_EQ(Asked(std::string("Host: ") + host), "200") << host;
    EXPECT_EQ(Asked(std::string("Host: ") + host, true), "200") << host;
  }
  for (const char* host : {"evil.example:8080", "127.0.0.1.evil.example:80", "evil."}) {
    EXPECT_EQ(Asked(std::string("Host: ") + host), "403") << host;
    EXPECT_EQ(Asked(std::string("Host: ") + host, true), "403") << host;
  }
  for (const char* header : {"Host: h", "Host: ", "X: y"}) {
    EXPECT_EQ(Asked(header, true), "200") << header;
    EXPECT_EQ(Asked(header), "403") << header;
  }
  for (const char* own : {"http://localhost:8080", "https://LocalHost:8080"}) {
    EXPECT_EQ(Asked(std::string("Host: localhost:8080\r\nOrigin: ") + own), "200") << own;
  }
  for (const char* foreign : {"http://localhost", "http://localhost:80800", "https://evil.example",
                              "null", "http://localhost:8080.evil.example", "localhost:8080"}) {
    EXPECT_EQ(Asked(std::string("Host: localhost:8080\r\nOrigin: ") + foreign), "403") << foreign;
  }
}

TEST_F(HttpAccess, OnTcpTheTokenThatTheFileHasNowIsNeededAndNotOnTheSocket) {
  const std::string path = File("changing");
  // As secrets are replaced: whole, under the same name.
  const auto write = [&](const std::string& text) {
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);
  };
  write("  s3cret\n");
  ASSERT_TRUE(server_.Start(Good, {.address = "127.0.0.1:0", .bearer_token_file = path}));
  EXPECT_EQ(HttpGet(Target("http"), "/")->body, "401 the right bearer token is needed");
  EXPECT_EQ(Asked("Host: h", true), "200");
  const auto is_let_in = [&](const std::string& authorization) {
    return Asked("Authorization: " + authorization) == "200";
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

TEST_F(HttpAccess, WithAClientCaACertificateIsNeededOrATokenWhereThereIsOne) {
  for (const char* token : {"", "s3cret"}) {
    StartTls({.client_ca_file = File("ca.pem"),
              .bearer_token_file = *token == '\0' ? "" : File("token")});
    EXPECT_EQ(Status(With(Target("https"), "client")), 200);
    EXPECT_EQ(Status(Target("https")), 401);
    EXPECT_EQ(Status(Target("https", "s3cret")), *token == '\0' ? 401 : 200);
    EXPECT_NE(Status(With(Target("https"), "stranger")), 200);
    EXPECT_EQ(Status(With(Target("https"), "server")), 401) << "its purpose is another";
    server_.Stop();
  }
}

TEST_F(HttpAccess, WhatIsNotSafeOrCannotBeUsedIsRefusedAtTheStart) {
  const std::string cert = File("server.pem");
  const std::string key = File("server.key");
  const std::string ca = File("ca.pem");
  const std::string all = "0.0.0.0:0";
  const std::pair<HttpConfig, const char*> rows[] = {
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
  for (const auto& [config, words] : rows) {
    TestServer refused;
    EXPECT_FALSE(refused.Start(Good, config)) << words;
    EXPECT_THAT(refused.error.message, HasSubstr(words));
    EXPECT_THAT(refused.error.message, StartsWith("serve HTTP: "));
  }
  TestServer open;  // on another address than loopback
  EXPECT_TRUE(open.Start(
      Good,
      {.address = all, .tls_cert_file = cert, .tls_private_key_file = key, .client_ca_file = ca}))
      << open.error.message;
}

TEST_F(HttpAccess, ANewCertificateIsShownWhenItIsToBeUsedAndNotBefore) {
  const HttpConfig config = StartTls({.bearer_token_file = File("token")});
  EXPECT_TRUE(SoonAnswers(Target("https", "s3cret")));
  HttpConfig faulty = config;
  faulty.tls_cert_file = File("empty");
  EXPECT_FALSE(server_.server().ReadCredentials(faulty));
  faulty = config;
  faulty.bearer_token_file = File("missing");
  EXPECT_FALSE(server_.server().ReadCredentials(faulty));
  ReplaceCertificate();
  const auto use = server_.server().ReadCredentials(config);
  ASSERT_TRUE(use);
  EXPECT_TRUE(SoonAnswers(Target("https", "s3cret")));
  (*use)();
  EXPECT_TRUE(SoonAnswers(Target("https", "s3cret", "other-ca.pem")));
  EXPECT_FALSE(HttpGet(Target("https", "s3cret"), "/"));
}

// A client that is in the middle of something with the old certificate neither hangs nor harms.
TEST_F(HttpAccess, StreamsWithTheOldCertificateEnd) {
  std::promise<void> asked;
  const auto endless = [&asked](const HttpRequest&) {
    return HttpResponse{.content_type = "text/event-stream",
                        .stream = [&asked, times = 0]() mutable {
                          if (++times == 2) asked.set_value();
                          return std::optional<std::string>(times > 1 ? "" : ": hello\n\n");
                        }};
  };
  const HttpConfig config = StartTls({.bearer_token_file = File("token")}, endless);
  auto answer =
      std::async(std::launch::async, [&] { return HttpGet(Target("https", "s3cret"), "/"); });
  ASSERT_EQ(asked.get_future().wait_for(seconds(20)), std::future_status::ready);
  ReplaceCertificate();
  const auto use = server_.server().ReadCredentials(config);
  ASSERT_TRUE(use);
  (*use)();
  const auto cut = answer.get();
  EXPECT_TRUE(cut || cut.error().code != ErrorCode::kDeadlineExceeded) << cut.error().message;
}

TEST_F(HttpAccess, TheOwnTokenIsItsOwnersAloneAndAnotherOneEachTime) {
  const std::string path = File("run/a.token");
  // A link that waits there is not followed.
  std::filesystem::create_directory(File("run"));
  ASSERT_EQ(::symlink(File("target").c_str(), path.c_str()), 0);
  ASSERT_EQ(::symlink(File("target").c_str(), (path + ".new").c_str()), 0);
  const auto token = MakeOwnToken(path);
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_FALSE(std::filesystem::exists(File("target")));
  const std::string first = TextOf(path);
  EXPECT_EQ(first.size(), 65U);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  // Who reads it while it is replaced finds a whole one.
  const std::jthread reader([&](const std::stop_token& ended) {
    while (!ended.stop_requested()) EXPECT_EQ(TextOf(path).size(), 65U);
  });
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(MakeOwnToken(path));
  EXPECT_NE(TextOf(path), first);
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

TEST_F(HttpAccess, OnTcpOnlyWhoSendsTheOwnTokenIsAnsweredAndItGoesWithTheServer) {
  ASSERT_TRUE(server_.Start(Good, {.address = "127.0.0.1:0"})) << server_.error.message;
  const std::string path = server_.server().own_token_file();
  const std::string socket = server_.socket();
  EXPECT_THAT(HttpGet(Target("http"), "/")->body, AllOf(StartsWith("401"), HasSubstr(path)));
  std::string token = TextOf(path);
  token.pop_back();
  EXPECT_EQ(Status(Target("http", token)), 200);
  EXPECT_EQ(Asked("Host: h", true), "200");
  server_.Stop();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(socket));
}

}  // namespace
}  // namespace jettison::http
