#include "agent/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// An agent with a kubeconfig.
class OpenedClusterTest : public testing::Test {
 protected:
  void Write(const std::string& server, const std::string& more = "") const {
    ASSERT_TRUE(kernel::WriteFile(path_,
                                  "current-context: x\n"
                                  "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                                  "clusters: [{name: c, cluster: {server: '" +
                                      server + "'" + more +
                                      "}}]\n"
                                      "users: [{name: u, user: {token: t}}]\n"));
  }
  void Open() {
    AgentConfig config;
    config.source = SourceKind::kKubernetes;
    config.node_name = "bed";
    config.kubernetes.kubeconfig = path_;
    config.root = folder_.path();
    auto opened = OpenCluster(config, clock_, log_);
    ASSERT_TRUE(opened) << opened.error().message;
    cluster_ = std::move(*opened);
  }
  [[nodiscard]] ConfigReading Compared() const {
    ConfigReading reading;
    cluster_.compare_access(reading);
    return reading;
  }

  kernel::TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/kubeconfig";
  SteadyClock clock_;
  Log log_{LogFormat::kText, clock_, [](std::string_view) {}};
  OpenedCluster cluster_;
};

TEST_F(OpenedClusterTest, AnotherServerInTheKubeconfigNeedsARestart) {
  Write("http://127.0.0.1:1");
  Open();
  EXPECT_THAT(Compared().need_restart, IsEmpty());
  Write("http://127.0.0.1:2", ", tls-server-name: api");
  const ConfigReading compared = Compared();
  EXPECT_THAT(compared.need_restart, ElementsAre("kubernetes.kubeconfig (server)",
                                                 "kubernetes.kubeconfig (tls-server-name)"));
  EXPECT_THAT(compared.warnings, IsEmpty());
}

TEST_F(OpenedClusterTest, AKubeconfigThatIsFaultyByNowIsWarnedOf) {
  Write("http://127.0.0.1:1");
  Open();
  Write("");
  const ConfigReading compared = Compared();
  EXPECT_THAT(compared.need_restart, IsEmpty());
  EXPECT_THAT(compared.warnings, SizeIs(1));
  EXPECT_THAT(compared.faults, IsEmpty()) << "the rest of the configuration takes effect";
}

}  // namespace
}  // namespace jettison
