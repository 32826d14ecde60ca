#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string>

#include "agent/machine.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using testing::HasSubstr;

// Knows of no pod.
class NoPods : public kube::PodFeed {
 public:
  void Follow(Listeners) override {}
  [[nodiscard]] int fd() const override { return fd_.get(); }
  void Dispatch() override {}
  [[nodiscard]] bool IsComplete() const override { return true; }

 private:
  FileDescriptor fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

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

class OpenRuntimeBesideKubelet : public testing::Test {
 protected:
  OpenRuntimeBesideKubelet() {
    config_.source = SourceKind::kKubernetes;
    config_.container_runtime_endpoint = socket_.Endpoint();
  }
  Result<OpenedRuntime> Open() {
    return OpenRuntime(config_, {.pod_groups = cgroups_,
                                 .group_end = cgroups_,
                                 .clock = clock_,
                                 .cluster = &feed_,
                                 .log = log_,
                                 .disk_thread = nullptr});
  }

  RuntimeSocket socket_;
  AgentConfig config_;
  FakeCgroups cgroups_;
  FakeClock clock_;
  NoPods feed_;
  Log log_{LogFormat::kText, clock_, [](std::string_view) {}};
};

TEST_F(OpenRuntimeBesideKubelet, ConnectsToNoContainerRuntimeByItself) {
  const auto opened = Open();
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->images, nullptr);
  ASSERT_TRUE(opened->runtime->List());
  EXPECT_THAT(opened->runtime->TakeEvents(), testing::IsEmpty());
  EXPECT_FALSE(socket_.IsConnectedTo(0));
  config_.container_runtime_endpoint = "tcp://10.0.0.1:1";
  EXPECT_TRUE(Open()) << "the kubelet's endpoint is none of its concern";
}

TEST_F(OpenRuntimeBesideKubelet, ConnectsForImagesWhereThoseAreCollected) {
  config_.kubernetes.collect_images = true;
  const auto opened = Open();
  ASSERT_TRUE(opened);
  ASSERT_NE(opened->images, nullptr);
  opened->images->Folders([](const auto&) {});
  EXPECT_TRUE(socket_.IsConnectedTo(20'000));
  config_.container_runtime_endpoint = "tcp://10.0.0.1:1";
  const auto refused = Open();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("containerRuntimeEndpoint"));
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
