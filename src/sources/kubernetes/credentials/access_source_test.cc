#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "http/testing/test_certificates.h"
#include "kernel/files/testing/temporary_folder.h"
#include "sources/kubernetes/credentials/api_access.h"

namespace jettison::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A kubeconfig that names a CA, a client's certificate and its key.
class AccessSourceTest : public testing::Test {
 protected:
  AccessSourceTest() {
    ca_.Write(folder_.path(), "ca");
    Replace();
    WriteConfig("https://h:6443");
  }
  [[nodiscard]] std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  void WriteConfig(const std::string& server) const {
    std::ofstream(Path("config"))
        << "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
           "clusters: [{name: c, cluster: {server: '"
        << server
        << "', certificate-authority: ca.pem}}]\n"
           "users: [{name: u, user: {client-certificate: client.pem, client-key: client.key}}]\n";
  }
  // Another certificate and its key.
  void Replace() const {
    http::TestCertificate("client", &ca_, GNUTLS_KP_TLS_WWW_CLIENT).Write(folder_.path(), "client");
  }
  [[nodiscard]] AccessReading Read() const { return AccessByKubeconfig(Path("config")); }

  kernel::TemporaryFolder folder_;
  http::TestCertificate ca_{"ca", nullptr, nullptr};
  Instant now_{std::chrono::hours(500'000)};
};

TEST_F(AccessSourceTest, ACertificateThatIsReplacedIsReadEveryMinute) {
  AccessSource source(
      Read().access, [this] { return Read(); }, now_);
  Replace();
  now_ += AccessSource::kReadEvery;
  EXPECT_FALSE(source.Changed(now_ - milliseconds(1)));
  const auto changed = source.Changed(now_);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->cert_pem, Read().access.cert_pem);
  EXPECT_EQ(changed->key_pem, Read().access.key_pem);
  now_ += AccessSource::kReadEvery;
  EXPECT_TRUE(source.Changed(now_)) << "it is not in use yet";
  source.Use(*changed);
  now_ += AccessSource::kReadEvery;
  EXPECT_FALSE(source.Changed(now_));
}

TEST_F(AccessSourceTest, WhatIsHalfReplacedOrMissingChangesNothing) {
  AccessSource source(
      Read().access, [this] { return Read(); }, now_);
  source.Failed();
  const AccessReading before = Read();
  Replace();
  const AccessReading after = Read();
  const auto changed = [&] {
    now_ += AccessSource::kReadAfterFailure;
    return source.Changed(now_).has_value();
  };
  std::ofstream(Path("client.key")) << before.access.key_pem;
  EXPECT_FALSE(changed()) << "the key is that of the certificate before";
  std::ofstream(Path("client.key")) << after.access.key_pem.substr(0, 40);
  EXPECT_FALSE(changed());
  std::filesystem::remove(Path("client.key"));
  EXPECT_FALSE(changed());
  std::ofstream(Path("client.key")) << after.access.key_pem;
  EXPECT_TRUE(changed());
}

TEST_F(AccessSourceTest, ATokenThatIsRotatedIsReadAgainEveryMinuteAndOnceItWasRefused) {
  std::ofstream(Path("token")) << "one\n";
  AccessSource source({.token_file = Path("token")}, {}, now_);
  const auto token = [&](Duration after) {
    EXPECT_FALSE(source.Changed(now_ + after));
    return source.token();
  };
  EXPECT_EQ(token(seconds(0)), "one");
  std::ofstream(Path("token")) << "two\n";
  EXPECT_EQ(token(seconds(59)), "one");
  EXPECT_EQ(token(seconds(60)), "two");
  std::ofstream(Path("token")) << "three\n";
  source.Refused(now_ + seconds(60));
  EXPECT_EQ(token(seconds(61)), "three");
  std::ofstream(Path("token")) << "four\n";
  EXPECT_EQ(token(seconds(0)), "four") << "the clock was set back";
}

TEST_F(AccessSourceTest, ATokenThatCannotBeReadIsTheLastOneThatCould) {
  AccessSource source({.token = "first", .token_file = Path("token")}, {}, now_);
  const auto token = [&] {
    source.Refused(now_);
    (void)source.Changed(now_);
    return source.token();
  };
  for (const char* text : {"", "two words", "\n"}) {
    std::ofstream(Path("token")) << text;
    EXPECT_EQ(token(), "first");
    EXPECT_TRUE(source.token_fault());
  }
  std::filesystem::remove(Path("token"));
  EXPECT_EQ(token(), "first");
  std::ofstream(Path("token")) << "second";
  EXPECT_EQ(token(), "second");
  EXPECT_FALSE(source.token_fault());
}

TEST_F(AccessSourceTest, ATokenIsRenewedThoughTheRestCannotBeRead) {
  std::ofstream(Path("token")) << "one";
  ApiAccess access = Read().access;
  access.token_file = Path("token");
  AccessSource source(
      access, [this] { return Read(); }, now_);
  std::filesystem::remove(Path("config"));
  EXPECT_FALSE(source.Changed(now_));
  EXPECT_EQ(source.token(), "one");
}

TEST_F(AccessSourceTest, ATokenThatIsRefusedWhileItIsReadIsReadOnceMore) {
  std::ofstream(Path("token")) << "new";
  std::vector<std::function<void()>> works;
  AccessSource source({.token = "first", .token_file = Path("token")}, {}, now_,
                      [&](std::function<void()> work) { works.push_back(std::move(work)); });
  source.Refused(now_);
  source.Refused(now_);
  (void)source.Changed(now_);
  EXPECT_EQ(source.token(), "first");
  ASSERT_EQ(works.size(), 1U) << "one at a time";
  works[0]();
  (void)source.Changed(now_);
  EXPECT_EQ(source.token(), "new");
  EXPECT_EQ(works.size(), 2U);
}

TEST_F(AccessSourceTest, WhatIsNotTakenOverNeedsARestart) {
  const ApiAccess in_use = {.server = "https://h:6443", .ca_pem = "a", .token = "t"};
  struct Row {
    ApiAccess read;
    std::vector<std::string> keys;
  };
  const Row rows[] = {
      {{.server = "https://h:6443", .ca_pem = "b", .cert_pem = "c", .token = "t"}, {}},
      {{.server = "https://i:6443", .token = "t"}, {"server"}},
      {{.server = "https://h:6443", .path_prefix = "/k8s", .token = "t"}, {"server"}},
      {{.server = "https://h:6443", .server_name = "x", .token = "t"}, {"tls-server-name"}},
      {{.server = "https://h:6443", .token = "u"}, {"token"}},
      {{.server = "https://h:6443", .token = "t", .token_file = "/f"}, {"tokenFile"}},
      {{.server = "https://i:6443"}, {"server", "token"}},
  };
  for (const Row& row : rows) EXPECT_EQ(NeedRestart(in_use, row.read), row.keys);
  const ApiAccess by_file = {.server = "s", .token = "old", .token_file = "/f"};
  EXPECT_EQ(NeedRestart(by_file, {.server = "s", .token = "new", .token_file = "/f"}),
            std::vector<std::string>());
}

}  // namespace
}  // namespace jettison::kube
