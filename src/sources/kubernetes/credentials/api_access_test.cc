#include "sources/kubernetes/credentials/api_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "http/testing/test_certificates.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison::kube {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A folder with a CA, a client's certificate and its key.
class Access : public testing::Test {
 protected:
  Access() {
    const http::TestCertificate ca("ca", nullptr, nullptr);
    ca.Write(folder_.path(), "ca");
    http::TestCertificate("client", &ca, GNUTLS_KP_TLS_WWW_CLIENT).Write(folder_.path(), "client");
    http::TestCertificate("other", &ca, GNUTLS_KP_TLS_WWW_CLIENT).Write(folder_.path(), "other");
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

}  // namespace
}  // namespace jettison::kube
