#include "sources/kubernetes/credentials/api_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "http/test_certificates.h"
#include "kernel/files/temporary_folder.h"
#include "sources/kubernetes/credentials/token_source.h"

namespace jettison::kube {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Instant kStart{std::chrono::hours(500'000)};

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

TEST_F(Access, CertificatesThatCannotBeUsedAreTold) {
  EXPECT_THAT(DescribeAll(Read("", "client-certificate: client.pem, client-key: other.key").faults),
              HasSubstr("cannot be used together"));
  Write("empty", "nothing");
  EXPECT_THAT(DescribeAll(Read(", certificate-authority: empty", "").faults),
              HasSubstr("no certificate in"));
}

TEST_F(Access, AServiceAccountIsFoundByTheEnvironmentAndItsFolder) {
  std::filesystem::copy(Path("ca.pem"), Path("ca.crt"));
  Write("token", "secret");
  Write("namespace", "jettison-system");
  const auto reading =
      AccessByServiceAccount({.host = "fd00::1", .port = "443", .folder = folder_.path()});
  EXPECT_THAT(reading.faults, IsEmpty()) << DescribeAll(reading.faults);
  EXPECT_EQ(reading.access.server, "https://[fd00::1]:443");
  EXPECT_EQ(reading.access.namespace_, "jettison-system");
  EXPECT_EQ(reading.access.ca_name, Path("ca.crt"));
  EXPECT_EQ(reading.access.token_file, Path("token"));
  EXPECT_EQ(reading.access.token, "secret") << "for the first calls";
}

TEST_F(Access, ThatThereIsNoPodAroundItIsOneFault) {
  const auto reading = AccessByServiceAccount({.host = "", .port = "", .folder = Path("nowhere")});
  EXPECT_EQ(DescribeAll(reading.faults),
            "KUBERNETES_SERVICE_HOST: is not set: the agent does not run in a pod of a cluster; "
            "set kubernetes.kubeconfig");
  const auto port = AccessByServiceAccount({.host = "::1", .port = "", .folder = Path("nowhere")});
  EXPECT_THAT(DescribeAll(port.faults), HasSubstr("KUBERNETES_SERVICE_PORT: is not set"));
}

TEST_F(Access, InAPodEachFileThatIsMissingIsTold) {
  const auto reading =
      AccessByServiceAccount({.host = "::1", .port = "443", .folder = Path("nowhere")});
  EXPECT_THAT(DescribeAll(reading.faults),
              AllOf(HasSubstr("nowhere/ca.crt"), HasSubstr("nowhere/token")));
}

TEST_F(Access, ATokenThatIsRotatedIsReadAgainEveryMinuteAndOnceItWasRefused) {
  Write("token", "one\n");
  TokenSource token({.token_file = Path("token")});
  EXPECT_EQ(token.Current(kStart), "one");
  Write("token", "two\n");
  EXPECT_EQ(token.Current(kStart + seconds(59)), "one");
  EXPECT_EQ(token.Current(kStart + seconds(60)), "two");
  Write("token", "three\n");
  token.Refused(kStart + seconds(60));
  EXPECT_EQ(token.Current(kStart + seconds(61)), "three");
  EXPECT_EQ(token.Current(kStart), "three");  // a clock that was set back
}

TEST_F(Access, ATokenThatCannotBeReadIsTheLastOneThatCould) {
  Write("token", "one");
  TokenSource token({.token = "literal", .token_file = Path("token")});
  EXPECT_EQ(token.Current(kStart), "one");
  for (const char* text : {"", "two words", "\n"}) {
    Write("token", text);
    token.Refused(kStart);
    EXPECT_EQ(token.Current(kStart), "one");
    EXPECT_TRUE(token.fault());
  }
  std::filesystem::remove(Path("token"));
  token.Refused(kStart);
  EXPECT_EQ(token.Current(kStart), "one");
  Write("token", "two");
  token.Refused(kStart);
  EXPECT_EQ(token.Current(kStart), "two");
  EXPECT_FALSE(token.fault());
  EXPECT_EQ(TokenSource({.token = "literal"}).Current(kStart), "literal");
}

TEST_F(Access, ATokenThatCannotBeReadYetKeepsNobodyWaiting) {
  Write("token", "new");
  std::vector<std::function<void()>> works;
  TokenSource token({.token = "first", .token_file = Path("token")},
                    [&](std::function<void()> work) { works.push_back(std::move(work)); });
  EXPECT_EQ(token.Current(kStart), "first");
  EXPECT_EQ(token.Current(kStart + seconds(600)), "first");
  token.Refused(kStart + seconds(600));
  ASSERT_EQ(works.size(), 1U) << "one at a time";
  works[0]();
  EXPECT_EQ(token.Current(kStart + seconds(600)), "new");
  EXPECT_EQ(works.size(), 2U) << "it was refused since";
  works[1]();
  token.Refused(kStart + seconds(600));
  EXPECT_EQ(works.size(), 2U) << "what was read meanwhile is not in use yet";
  EXPECT_EQ(token.Current(kStart + seconds(600)), "new");
}

}  // namespace
}  // namespace jettison::kube
