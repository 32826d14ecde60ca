#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "kernel/groups/group_processes.h"
#include "kernel/readiness/pidfd.h"

namespace jettison::kernel {
namespace {

// A child that sleeps, with 16 MiB of its own.
class MemoryRelease : public testing::Test {
 protected:
  MemoryRelease() : pid_(fork()) {
    if (pid_ == 0) {
      constexpr std::size_t kBytes = 16 << 20;
      (void)mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
      pause();
      _exit(0);
    }
    pidfd_ = OpenPidfd(pid_);
  }
  ~MemoryRelease() override {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid_;
  FileDescriptor pidfd_;
};

TEST_F(MemoryRelease, OfAProcessThatLivesIsRefused) {
  const auto released = ReleaseMemory(pidfd_);
  ASSERT_FALSE(released);
  EXPECT_NE(released.error().code, ErrorCode::kNotFound);
}

TEST_F(MemoryRelease, OfAKilledProcessSucceedsOrItIsGone) {
  kill(pid_, SIGKILL);
  const auto released = ReleaseMemory(pidfd_);
  EXPECT_TRUE(released || released.error().code == ErrorCode::kNotFound ||
              released.error().code == ErrorCode::kUnavailable);
}

TEST_F(MemoryRelease, OfAProcessThatHasEndedFindsNothing) {
  kill(pid_, SIGKILL);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT), 0);
  const auto released = ReleaseMemory(pidfd_);
  ASSERT_FALSE(released);
}

}  // namespace
}  // namespace jettison::kernel
