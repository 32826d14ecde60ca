// Sub-paths on a host whose mounts are shared, as systemd sets them up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <string>
#include <vector>

#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {
namespace {

class LiveCriRuntimeOnSharedMounts : public LiveCriRuntime {
 protected:
  void SetUp() override {
    if (LiveContainerd::Obstacle()) GTEST_SKIP() << *LiveContainerd::Obstacle();
    ASSERT_EQ(::mount("host", root().c_str(), "tmpfs", 0, nullptr), 0);
    ASSERT_EQ(::mount(nullptr, root().c_str(), nullptr, MS_SHARED, nullptr), 0);
    ASSERT_TRUE(kernel::MakeFolders(inner_));
    ASSERT_EQ(::mount("inner", inner_.c_str(), "tmpfs", 0, nullptr), 0);
    ASSERT_TRUE(kernel::WriteFile(inner_ + "/kept", "x"));
    before_ = kernel::MountsBelow(root());
    LiveCriRuntime::SetUp();
  }
  void TearDown() override {
    runtime_.reset();
    while (::umount2(inner_.c_str(), MNT_DETACH) == 0) {
    }
    ::umount2(root().c_str(), MNT_DETACH);
    LiveCriRuntime::TearDown();
  }
  [[nodiscard]] testing::AssertionResult StartsAndEnds(const Pod& pod, int attempt) {
    auto started = StartContainer(pod, "main", attempt);
    if (!started) return started;
    return Await<ContainerExited>(pod.uid) != nullptr ? testing::AssertionSuccess()
                                                      : testing::AssertionFailure() << Said();
  }

  const std::string host_ = root() + "/host";
  const std::string inner_ = host_ + "/sub/inner";
  std::vector<std::string> before_;
};

TEST_F(LiveCriRuntimeOnSharedMounts, AHostPathKeepsItsMountsThroughRunsARestartAndTheRemoval) {
  Pod pod = TestPod("u", {"touch", "/data/x"});
  pod.volumes = {{"host", HostPathSource{.path = host_, .type = "Directory"}}};
  pod.containers[0].volume_mounts = {{"host", "/data", "sub", false}};
  ASSERT_TRUE(Create(pod));
  ASSERT_TRUE(StartsAndEnds(pod, 0));
  EXPECT_TRUE(kernel::Exists(host_ + "/sub/x"));
  ASSERT_TRUE(StartsAndEnds(pod, 1));
  EXPECT_TRUE(kernel::Exists(inner_ + "/kept")) << "after the container was restarted";
  Open();
  ASSERT_TRUE(runtime().List());
  ASSERT_TRUE(StartsAndEnds(pod, 2));
  runtime().RemovePod("u");
  ASSERT_NE(Await<PodRemoved>("u"), nullptr) << Said();
  EXPECT_TRUE(kernel::Exists(inner_ + "/kept")) << "after the pod was removed";
  EXPECT_EQ(kernel::MountsBelow(root()), before_);
}

}  // namespace
}  // namespace jettison::cri
