#include "agent/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <memory>
#include <string>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A socket on which a container runtime would listen.
class RuntimeSocket {
 public:
  RuntimeSocket() {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::strncpy(address.sun_path, path_.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(fd_.get(), 8), 0);
  }
  [[nodiscard]] std::string Endpoint() const { return "unix://" + path_; }
  [[nodiscard]] bool IsConnectedTo(int patience_ms) const {
    pollfd waiting{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, patience_ms) == 1;
  }

 private:
  kernel::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/c.sock";
  FileDescriptor fd_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

// An agent beside a kubelet, with a kubeconfig.
class MachineOfACluster : public testing::Test {
 protected:
  MachineOfACluster() {
    config_.source = SourceKind::kKubernetes;
    config_.node_name = "bed";
    config_.kubernetes.kubeconfig = path_;
    config_.root = folder_.path();
    config_.container_runtime_endpoint = socket_.Endpoint();
    machine_.node_groups = std::make_shared<FakeCgroups>();
    machine_.group_end = std::make_unique<ReleasingGroupEnd>(machine_.pod_groups());
  }
  void Open() {
    ASSERT_TRUE(kernel::WriteFile(path_,
                                  "current-context: x\n"
                                  "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                                  "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n"
                                  "users: [{name: u, user: {token: t}}]\n"));
    const auto opened = OpenCluster(config_, machine_, log_);
    ASSERT_TRUE(opened) << opened.error().message;
  }

  kernel::TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/kubeconfig";
  RuntimeSocket socket_;
  AgentConfig config_;
  Machine machine_;
  Log log_{LogFormat::kText, machine_.clock, [](std::string_view) {}};
};

TEST_F(MachineOfACluster, ConnectsToTheContainerRuntimeOnlyForImages) {
  Open();
  ASSERT_TRUE(OpenRuntime(config_, machine_, log_));
  EXPECT_EQ(machine_.images, nullptr);
  ASSERT_TRUE(machine_.runtime->List());
  EXPECT_THAT(machine_.runtime->TakeEvents(), IsEmpty());
  EXPECT_FALSE(socket_.IsConnectedTo(0));
  config_.kubernetes.collect_images = true;
  ASSERT_TRUE(OpenRuntime(config_, machine_, log_));
  ASSERT_NE(machine_.images, nullptr);
  machine_.images->Folders([](const auto&) {});
  EXPECT_TRUE(socket_.IsConnectedTo(20'000));
  config_.container_runtime_endpoint = "tcp://10.0.0.1:1";
  const auto refused = OpenRuntime(config_, machine_, log_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("containerRuntimeEndpoint"));
  config_.kubernetes.collect_images = false;
  EXPECT_TRUE(OpenRuntime(config_, machine_, log_)) << "it is none of its concern";
}

TEST(CanRemovePods, OnlyWhereTheKernelDoesNotFollowMounts) {
  AgentConfig config;
  config.static_pod_path = "/etc/jettison/manifests";
  EXPECT_TRUE(CanRemovePods(config, true));
  const auto able = CanRemovePods(config, false);
  ASSERT_FALSE(able);
  EXPECT_THAT(able.error().message, HasSubstr("staticPodPath: this kernel has no mount_setattr"));
  config.static_pod_path.clear();
  EXPECT_TRUE(CanRemovePods(config, false)) << "it has no pods of its own";
}

}  // namespace
}  // namespace jettison
