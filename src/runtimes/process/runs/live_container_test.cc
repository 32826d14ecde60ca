#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "kernel/readiness/pidfd.h"
#include "ports/fakes/child_process.h"
#include "runtimes/process/runs/pre_stop_hook.h"
#include "runtimes/process/runs/run_record.h"

namespace jettison::process {
namespace {

// This process is the shim of its children.
class LiveContainerTest : public testing::Test {
 protected:
  [[nodiscard]] Result<std::optional<LiveContainer>> Open(pid_t container) const {
    return OpenLiveContainer(container, self_);
  }
  ShimProcess self_{::getpid(), kernel::OpenPidfd(::getpid())};
  ChildProcess child_{[](const auto&) { SleepForever(); }};
};

TEST_F(LiveContainerTest, HasTheMountNamespaceOfTheProcess) {
  const auto container = Open(child_.pid());
  ASSERT_TRUE(container && *container);
  struct stat theirs {};
  struct stat ours {};
  ASSERT_EQ(::fstat((*container)->mount_namespace.get(), &theirs), 0);
  ASSERT_EQ(::stat("/proc/self/ns/mnt", &ours), 0);
  EXPECT_EQ(theirs.st_ino, ours.st_ino);
}

TEST_F(LiveContainerTest, IsNotOneThatHasEndedAndNobodyHasReaped) {
  const FileDescriptor handle = kernel::OpenPidfd(child_.pid());
  kernel::SendSignal(handle, SIGKILL);
  ASSERT_TRUE(AwaitEnd(handle, 30'000));
  const auto container = Open(child_.pid());
  ASSERT_TRUE(container);
  EXPECT_FALSE(*container);
}

TEST_F(LiveContainerTest, IsNotOneWhoseShimHasEnded) {
  const ChildProcess shim([](const auto&) {});
  const ShimProcess ended(::getpid(), kernel::OpenPidfd(shim.pid()));
  kernel::SendSignal(ended.pidfd(), SIGKILL);
  ASSERT_TRUE(AwaitEnd(ended.pidfd(), 30'000));
  const auto container = OpenLiveContainer(child_.pid(), ended);
  ASSERT_TRUE(container);
  EXPECT_FALSE(*container);
}

}  // namespace
}  // namespace jettison::process
