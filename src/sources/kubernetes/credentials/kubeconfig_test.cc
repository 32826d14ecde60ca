#include "sources/kubernetes/credentials/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace jettison::kube {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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

KubeconfigReading Read(const std::string& text) {
  return ReadKubeconfig(text, "/etc/jettison/kubeconfig");
}

TEST(Kubeconfig, TheCurrentContextSaysServerAndUser) {
  const auto reading =
      Read(Config("server: 'https://10.0.0.1:6443/k8s/c-1/', certificate-authority: ca.crt, "
                  "tls-server-name: api",
                  "client-certificate: /pki/a.crt, client-key: ../a.key, tokenFile: token"));
  EXPECT_THAT(reading.faults, IsEmpty()) << DescribeAll(reading.faults);
  const Kubeconfig& config = reading.config;
  EXPECT_EQ(config.context, "here");
  EXPECT_EQ(config.server, "https://10.0.0.1:6443");
  EXPECT_EQ(config.path_prefix, "/k8s/c-1");
  EXPECT_EQ(config.server_name, "api");
  EXPECT_EQ(config.ca.file, "/etc/jettison/ca.crt");
  EXPECT_EQ(config.certificate.file, "/pki/a.crt");
  EXPECT_EQ(config.key.file, "/etc/a.key");
  EXPECT_EQ(config.token_file, "/etc/jettison/token");
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
  EXPECT_EQ(read("https://[::1]:6443").config.server, "https://[::1]:6443");
  EXPECT_EQ(read("https://api.example/").config.path_prefix, "");
  EXPECT_THAT(read("http://127.0.0.1:8080").faults, IsEmpty());
  for (const char* url :
       {"http://10.0.0.1", "http://127.evil.example?", "10.0.0.1:6443", "https://", "unix:///x",
        "https://h/a b", "https://h/a\\r\\nX: y", "https://u:p@h", "https://h?x=1"}) {
    EXPECT_EQ(read(url).faults.size(), 1U) << url;
  }
}

}  // namespace
}  // namespace jettison::kube
