#include "sources/kubernetes/credentials/api_access.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "http/testing/test_certificates.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison::kube {
namespace {

using namespace testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A folder with a CA, a client's certificate and its key.
class Access : public testing::Test {
 protected:
  Access() {
    ca_.Write(folder_.path(), "ca");
    http::TestCertificate("client", &ca_, GNUTLS_KP_TLS_WWW_CLIENT).Write(folder_.path(), "client");
  }
  [[nodiscard]] std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
  }
  AccessReading Read(const std::string& cluster, const std::string& user) const {
    Write("config",
          "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
          "clusters: [{name: c, cluster: {server: 'https://h:6443'" +
              cluster +
              "}}]\n"
              "users: [{name: u, user: {" +
              user + "}}]\n");
    return AccessByKubeconfig(Path("config"));
  }

  kernel::TemporaryFolder folder_;
  http::TestCertificate ca_{"ca", nullptr, nullptr};
};

TEST_F(Access, ReadsTheFilesThatAKubeconfigNames) {
  Write("token", "secret\n");
  const auto reading =
      Read(", certificate-authority: ca.pem",
           "client-certificate: client.pem, client-key: client.key, tokenFile: token");
  EXPECT_THAT(reading.faults, IsEmpty()) << DescribeAll(reading.faults);
  EXPECT_THAT(reading.access.ca_pem, HasSubstr("BEGIN CERTIFICATE"));
  EXPECT_EQ(reading.access.ca_name, Path("ca.pem"));
  EXPECT_THAT(reading.access.key_pem, HasSubstr("PRIVATE KEY"));
  EXPECT_EQ(reading.access.token_file, Path("token"));
  EXPECT_EQ(reading.access.token, "secret") << "for the first calls";
  EXPECT_THAT(reading.access.origin, HasSubstr("context x"));
}

TEST_F(Access, EveryFileThatCannotBeReadIsTold) {
  const auto reading = Read(", certificate-authority: no-ca",
                            "client-certificate: no-crt, client-key: no-key, tokenFile: no-token");
  EXPECT_THAT(DescribeAll(reading.faults), AllOf(HasSubstr("no-ca"), HasSubstr("no-crt"),
                                                 HasSubstr("no-key"), HasSubstr("no-token")));
  EXPECT_THAT(DescribeAll(AccessByKubeconfig(Path("nowhere")).faults), HasSubstr("No such file"));
}

TEST_F(Access, AServiceAccountIsFoundByTheEnvironmentAndItsFolder) {
  std::filesystem::copy(Path("ca.pem"), Path("ca.crt"));
  Write("token", "secret");
  const auto reading =
      AccessByServiceAccount({.host = "fd00::1", .port = "443", .folder = folder_.path()});
  EXPECT_THAT(reading.faults, IsEmpty()) << DescribeAll(reading.faults);
  EXPECT_EQ(reading.access.server, "https://[fd00::1]:443");
  EXPECT_EQ(reading.access.ca_name, Path("ca.crt"));
  EXPECT_EQ(reading.access.token_file, Path("token"));
  EXPECT_EQ(reading.access.token, "secret") << "for the first calls";
}

// A kubeconfig that names a CA, a client's certificate and its key.
class AccessSourceTest : public Access {
 protected:
  // Another certificate and its key.
  void Replace() const {
    http::TestCertificate("client", &ca_, GNUTLS_KP_TLS_WWW_CLIENT).Write(folder_.path(), "client");
  }
  [[nodiscard]] AccessReading Read() const {
    return Access::Read(", certificate-authority: ca.pem",
                        "client-certificate: client.pem, client-key: client.key");
  }

  Instant now_{std::chrono::hours(500'000)};
};

TEST_F(AccessSourceTest, ACertificateThatIsReplacedIsReadEveryMinute) {
  AccessSource source(
      Read().access, [this] { return Read(); }, now_);
  Replace();
  now_ += AccessSource::kReadEvery;
  EXPECT_FALSE(source.Changed(now_ - milliseconds(1)));
  const auto changed = source.Changed(now_).value();
  EXPECT_EQ(changed.cert_pem, Read().access.cert_pem);
  EXPECT_EQ(changed.key_pem, Read().access.key_pem);
  now_ += AccessSource::kReadEvery;
  EXPECT_TRUE(source.Changed(now_)) << "it is not in use yet";
  source.Use(changed);
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

TEST_F(AccessSourceTest, ATokenIsReadAgainEveryMinuteAndOnceItWasRefusedThoughTheRestCannotBeRead) {
  Write("token", "one\n");
  ApiAccess access = Read().access;
  access.token_file = Path("token");
  AccessSource source(
      access, [this] { return Read(); }, now_);
  const auto token = [&](Duration after) {
    EXPECT_FALSE(source.Changed(now_ + after));
    return source.token();
  };
  EXPECT_EQ(token(seconds(0)), "one");
  std::filesystem::remove(Path("client.pem"));
  Write("token", "two\n");
  EXPECT_EQ(token(seconds(59)), "one");
  EXPECT_EQ(token(seconds(60)), "two");
  for (const char* text : {"", "two words", "\n"}) {
    Write("token", text);
    source.Refused(now_ + seconds(60));
    EXPECT_EQ(token(seconds(61)), "two") << "the last one that could be read";
    EXPECT_TRUE(source.token_fault());
  }
  Write("token", "three\n");
  source.Refused(now_ + seconds(61));
  EXPECT_EQ(token(seconds(62)), "three");
  EXPECT_FALSE(source.token_fault());
  Write("token", "four\n");
  EXPECT_EQ(token(seconds(0)), "four") << "the clock was set back";
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

std::string Config(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
         "contexts: [{name: other, context: {cluster: o, user: o}},"
         " {name: here, context: {cluster: c, user: u, namespace: ns}}]\n"
         "clusters: [{name: c, cluster: {" +
         cluster +
         "}}]\n"
         "users: [{name: u, user: {" +
         user + "}}]\n";
}

Kubeconfig Read(const std::string& text) {
  return ReadKubeconfig(text, "/etc/jettison/kubeconfig");
}

TEST(Kubeconfig, TheCurrentContextSaysServerAndUser) {
  const Kubeconfig config =
      Read(Config("server: 'https://10.0.0.1:6443/k8s/c-1/', certificate-authority: ca.crt, "
                  "tls-server-name: api",
                  "client-certificate: /pki/a.crt, client-key: ../a.key, tokenFile: token"));
  EXPECT_THAT(config.faults, IsEmpty()) << DescribeAll(config.faults);
  EXPECT_EQ(config.context, "here");
  EXPECT_EQ(config.access.server, "https://10.0.0.1:6443");
  EXPECT_EQ(config.access.path_prefix, "/k8s/c-1");
  EXPECT_EQ(config.access.server_name, "api");
  EXPECT_EQ(config.ca.file, "/etc/jettison/ca.crt");
  EXPECT_EQ(config.certificate.file, "/pki/a.crt");
  EXPECT_EQ(config.key.file, "/etc/a.key");
  EXPECT_EQ(config.access.token_file, "/etc/jettison/token");
}

TEST(Kubeconfig, EveryFaultIsToldWithItsKey) {
  const auto reading = Read(Config(
      "certificate-authority-data: '%%', proxy-url: 'http://p', insecure-skip-tls-verify: true",
      "exec: {command: x}, auth-provider: {name: y}, username: z, as: root, client-key-data: "
      "c2VjcmV0"));
  const std::string faults = DescribeAll(reading.faults);
  EXPECT_THAT(faults,
              AllOf(HasSubstr("/etc/jettison/kubeconfig"),
                    HasSubstr("clusters[0].cluster.server: is missing"),
                    HasSubstr("clusters[0].cluster.certificate-authority-data: must be base64"),
                    HasSubstr("clusters[0].cluster.proxy-url"),
                    HasSubstr("clusters[0].cluster.insecure-skip-tls-verify"),
                    HasSubstr("users[0].user.exec"), HasSubstr("users[0].user.auth-provider")));
  EXPECT_THAT(faults, AllOf(HasSubstr("users[0].user.username"), HasSubstr("users[0].user.as"),
                            HasSubstr("users[0].user.client-key-data: must be PEM in base64"),
                            Not(HasSubstr("c2VjcmV0"))));
}

TEST(Kubeconfig, ANameThatNobodyHasIsToldWithThoseThereAre) {
  const auto reading = Read("current-context: x\ncontexts: [{name: a, context: {}}, {name: b}]\n");
  EXPECT_THAT(DescribeAll(reading.faults),
              HasSubstr("current-context: \"x\": must be one of contexts (a, b)"));
  EXPECT_THAT(DescribeAll(Read("current-context: a\ncontexts: [{name: a, context: {}}]\n").faults),
              AllOf(HasSubstr("contexts[0].context.cluster: must name one of clusters"),
                    HasSubstr("contexts[0].context.user: must name one of users")));
}

TEST(Kubeconfig, AServerIsHttpsOrOnThisMachine) {
  const auto read = [](const std::string& url) {
    return Read(Config("server: \"" + url + "\"", "token: t"));
  };
  EXPECT_EQ(read("https://[::1]:6443").access.server, "https://[::1]:6443");
  EXPECT_EQ(read("https://api.example/").access.path_prefix, "");
  EXPECT_THAT(read("http://127.0.0.1:8080").faults, IsEmpty());
  for (const char* url :
       {"http://10.0.0.1", "http://127.evil.example?", "10.0.0.1:6443", "https://", "unix:///x",
        "https://h/a b", "https://h/a\\r\\nX: y", "https://u:p@h", "https://h?x=1"}) {
    EXPECT_EQ(read(url).faults.size(), 1U) << url;
  }
}

}  // namespace
}  // namespace jettison::kube
