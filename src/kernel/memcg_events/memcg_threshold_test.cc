#include "kernel/memcg_events/memcg_threshold.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "ports/fakes/child_process.h"

namespace jettison {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr int kPatienceMs = 5000;

// A separate memory group with a process in it; both are removed at the end.
class LiveMemcgThreshold : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "making control groups needs root";
    if (::access("/sys/fs/cgroup/memory/memory.usage_in_bytes", F_OK) != 0) {
      GTEST_SKIP() << "no cgroup v1 memory controller at /sys/fs/cgroup/memory";
    }
    ASSERT_EQ(::mkdir(path_.c_str(), 0755), 0);
    made_ = true;
    group_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  void TearDown() override {
    if (made_) Remove();
  }
  void Remove() {
    while (::rmdir(path_.c_str()) != 0 && errno == EBUSY) std::this_thread::yield();
    made_ = false;
  }
  void MoveHere(const ChildProcess& child) const {
    std::ofstream(path_ + "/cgroup.procs") << child.pid();
  }
  static bool Fires(const MemcgThreshold& threshold, int patience_ms) {
    pollfd poll{.fd = threshold.fd(), .events = POLLIN, .revents = 0};
    return ::poll(&poll, 1, patience_ms) == 1;
  }

  const std::string path_ =
      "/sys/fs/cgroup/memory/jettison-events-test-" + std::to_string(::getpid());
  FileDescriptor group_;
  bool made_ = false;
};

TEST_F(LiveMemcgThreshold, CrossingTheLevelFiresOnce) {
  auto threshold = MemcgThreshold::Register(group_.get(), 16 * kMiB).value();
  EXPECT_FALSE(Fires(threshold, 0));
  EXPECT_FALSE(threshold.Drain());
  ChildProcess child([](const auto& ready) {
    TouchMemory(32 * kMiB);
    ready();
    SleepForever();
  });
  MoveHere(child);
  child.Start();
  EXPECT_TRUE(Fires(threshold, kPatienceMs));
  EXPECT_TRUE(child.AwaitReady());
  EXPECT_TRUE(threshold.Drain());
  EXPECT_FALSE(Fires(threshold, 0)) << "drained, and nothing crossed since";
}

TEST_F(LiveMemcgThreshold, StayingBelowDoesNotFireAndFallingBackDoes) {
  ChildProcess child([](const auto& ready) {
    TouchMemory(16 * kMiB);
    ready();
    SleepForever();
  });
  MoveHere(child);
  child.Start();
  ASSERT_TRUE(child.AwaitReady());
  auto above = MemcgThreshold::Register(group_.get(), 64 * kMiB);
  auto below = MemcgThreshold::Register(group_.get(), 8 * kMiB);
  ASSERT_TRUE(above && below);
  ::kill(child.pid(), SIGKILL);
  (void)child.Wait();
  EXPECT_TRUE(Fires(*below, kPatienceMs));
  EXPECT_FALSE(Fires(*above, 0));
}

TEST_F(LiveMemcgThreshold, RemovalOfTheGroupFires) {
  auto threshold = MemcgThreshold::Register(group_.get(), 64 * kMiB).value();
  Remove();
  EXPECT_TRUE(Fires(threshold, kPatienceMs));
  EXPECT_EQ(MemcgThreshold::Register(group_.get(), kMiB).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace jettison
