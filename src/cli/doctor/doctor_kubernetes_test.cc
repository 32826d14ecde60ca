#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/doctor/doctor.h"
#include "http/testing/test_certificates.h"
#include "kernel/files/testing/temporary_folder.h"
#include "sources/kubernetes/test_bed/fake_api_server.h"

namespace jettison {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class DoctorKubernetes : public testing::Test {
 protected:
  [[nodiscard]] std::vector<HostCheck> Checks(const std::string& node,
                                              const std::string& user = "") {
    const std::string path = folder_.path() + "/kubeconfig";
    std::ofstream(path) << "current-context: x\n"
                           "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                           "clusters: [{name: c, cluster: {server: '"
                        << server_.url() << "'}}]\nusers: [{name: u, user: {" << user << "}}]\n";
    return KubernetesChecks({.kubeconfig = path, .node = node, .config = {.files = config_}});
  }
  static HostCheck Named(const std::vector<HostCheck>& checks, const std::string& name) {
    const auto at = std::ranges::find(checks, name, &HostCheck::check);
    return at == checks.end() ? HostCheck{} : *at;
  }

  // Our configuration, with a kubelet's document of our own.
  void Configure(const std::string& thresholds) {
    config_ = {folder_.path() + "/config.yaml"};
    std::ofstream(config_[0])
        << "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\nsource: kubernetes\n"
           "---\napiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
        << thresholds;
  }

  kernel::TemporaryFolder folder_;
  kube::FakeApiServer server_;
  std::vector<std::string> config_;
};

TEST_F(DoctorKubernetes, AServerThatAllowsEverythingIsAllThatIsWanted) {
  const auto checks = Checks("bed");
  EXPECT_THAT(checks, SizeIs(14));
  for (const HostCheck& check : checks) EXPECT_EQ(check.status, HostStatus::kOk) << check.found;
  EXPECT_THAT(Named(checks, "API server").found, HasSubstr("v1.36.2 at http://127.0.0.1:"));
  EXPECT_EQ(Named(checks, "node").found, "bed, kubelet v1.36.2");
}

TEST_F(DoctorKubernetes, ARightThatIsMissingIsNamedWithItsRule) {
  server_.Deny("watch pods");
  server_.Deny("patch nodes/status");
  const auto checks = Checks("");
  EXPECT_THAT(checks, SizeIs(12));
  EXPECT_EQ(Named(checks, "right to watch pods").status, HostStatus::kMissing);
  const HostCheck status = Named(checks, "right to patch nodes/status");
  EXPECT_EQ(status.status, HostStatus::kDegraded);
  EXPECT_THAT(status.remedy,
              HasSubstr(R"({apiGroups: [""], resources: [nodes/status], verbs: [patch]})"));
}

TEST_F(DoctorKubernetes, ANodeThatIsNotThereIsSaid) {
  const HostCheck node = Named(Checks("nowhere"), "node");
  EXPECT_EQ(node.status, HostStatus::kMissing);
  EXPECT_THAT(node.found, HasSubstr("not found"));
}

TEST_F(DoctorKubernetes, WithoutAKubeconfigItAsksAsTheServiceAccountOfItsPod) {
  const kube::ServiceAccount account{.host = "127.0.0.1",
                                     .port = server_.url().substr(server_.url().rfind(':') + 1),
                                     .folder = folder_.path()};
  const auto faulty = KubernetesChecks({.kubeconfig = "", .node = "bed", .account = account});
  EXPECT_THAT(faulty.at(0).found, HasSubstr(folder_.path() + "/ca.crt"));
  EXPECT_THAT(faulty.at(0).remedy, HasSubstr("in the agent's pod"));
  http::TestCertificate("ca", nullptr, nullptr).Write(folder_.path(), "ca");
  std::filesystem::rename(folder_.path() + "/ca.pem", folder_.path() + "/ca.crt");
  std::ofstream(folder_.path() + "/token") << "secret";
  // The server of the tests speaks plain HTTP, which must not be sent a token.
  const auto asked = KubernetesChecks({.kubeconfig = "", .node = "bed", .account = account});
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_THAT(asked[0].found, HasSubstr("https://127.0.0.1:" + account.port));
  EXPECT_EQ(server_.CountOf("GET"), 0U);
}

TEST_F(DoctorKubernetes, ThresholdsAboveTheKubeletsAreShown) {
  EXPECT_THAT(Named(Checks("bed"), "kubelet's thresholds").found,
              HasSubstr("ours lie above them: memory.available 356Mi"));
  Configure("evictionHard: {memory.available: 5%, nodefs.available: 0%}\n");
  EXPECT_THAT(Named(Checks("bed"), "kubelet's thresholds").found,
              HasSubstr("ours lie above them: memory.available 5%"));
}

TEST_F(DoctorKubernetes, AKubeletWhoseThresholdsCannotBeReadIsSaid) {
  server_.Change([](kube::FakeStore& store) {
    store.node()["status"]["addresses"] = kube::FakeStore::Json::array();
  });
  server_.MisbehaveOnce({.part = "configz", .status = 403, .body = "{}"});
  const HostCheck check = Named(Checks("bed"), "kubelet's thresholds");
  EXPECT_EQ(check.status, HostStatus::kMissing);
  EXPECT_THAT(check.found, HasSubstr("configz of node bed"));
  EXPECT_THAT(check.remedy, HasSubstr("kubeletConfiguration"));
}

TEST_F(DoctorKubernetes, WhoIsNotKnownNotThereOrNotSetUpIsSaid) {
  EXPECT_THAT(Checks("", "exec: {}").at(0).found, HasSubstr("users[0].user.exec"));
  server_.RequireToken("secret");
  const auto unknown = Checks("");
  ASSERT_THAT(unknown, SizeIs(1));
  EXPECT_THAT(unknown[0].found, HasSubstr("Unauthorized"));
  EXPECT_THAT(unknown[0].remedy, HasSubstr("token"));
  server_.Stop();
  const auto away = Checks("");
  ASSERT_THAT(away, SizeIs(1));
  EXPECT_EQ(away[0].status, HostStatus::kMissing);
  EXPECT_THAT(away[0].found, HasSubstr("Connection refused"));
}

}  // namespace
}  // namespace jettison
