#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "agent/reclaim/releasing_group_end.h"
#include "kernel/files/testing/temporary_folder.h"
#include "machine/cgroups/host_cgroups.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/join_group.h"

namespace jettison {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

class LiveReleasingGroupEnd : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "making control groups needs root";
    auto opened = OpenHostCgroups({});
    ASSERT_TRUE(opened) << opened.error().message;
    groups_ = std::move(*opened);
    ASSERT_TRUE(groups_->Create(pod_, {}));
  }
  void TearDown() override {
    if (!groups_) return;
    EXPECT_TRUE(groups_->Remove(top_));
  }
  // Runs a process in the pod that writes a file and ends.
  void LeavePages() {
    ChildProcess child([this](const auto& ready) {
      std::ofstream stream(folder_.path() + "/file");
      const std::string block(kMiB, 'x');
      for (int i = 0; i < 32; ++i) stream << block;
      stream.close();
      ::sync();
      ready();
    });
    ASSERT_TRUE(JoinGroup(*groups_, pod_, child.pid()));
    child.Start();
    ASSERT_TRUE(child.AwaitReady());
    (void)child.Wait();
  }

  std::string top_ = "jettison-releasing-" + std::to_string(::getpid());
  std::string pod_ = top_ + "/pod";
  kernel::TemporaryFolder folder_;
  std::unique_ptr<Cgroups> groups_;
};

TEST_F(LiveReleasingGroupEnd, PageCacheOfARemovedGroupIsNotLeftWithItsParent) {
  LeavePages();
  EXPECT_GE(groups_->ReadMemory(top_)->usage, 32 * kMiB);
  ReleasingGroupEnd releasing(*groups_);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  auto removed = releasing.Remove(pod_);
  while (!removed && std::chrono::steady_clock::now() < until) {
    EXPECT_EQ(removed.error().code, ErrorCode::kUnavailable) << removed.error().message;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    removed = releasing.Remove(pod_);
  }
  EXPECT_TRUE(removed);
  EXPECT_LE(groups_->ReadMemory(top_)->usage, 8 * kMiB);
}

TEST_F(LiveReleasingGroupEnd, AGroupIsNotWaitedForAnyLonger) {
  ReleasingGroupEnd releasing(*groups_, kernel::ReleaseMemory, Duration{0});
  (void)releasing.Remove(pod_);
  EXPECT_TRUE(releasing.Remove(pod_));
}

}  // namespace
}  // namespace jettison
