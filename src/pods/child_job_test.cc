#include "pods/child_job.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <new>

#include "kernel/groups/testing/few_descriptors.h"

namespace jettison {
namespace {

// Deleting the files of a pod may take minutes.
int LastForever() {
  for (;;) ::pause();
}

using Flag = std::atomic<bool>;

// The child of this process that has ended; 0: none has in that time.
pid_t WaitAtMost(std::chrono::milliseconds patience, int& status) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < until) {
    if (const pid_t ended = ::waitpid(-1, &status, WNOHANG); ended != 0) return ended;
    ::usleep(1000);
  }
  return 0;
}

TEST(ChildJob, OfWhichNoHandleCanBeHadIsEndedAndNotWaitedFor) {
  auto readiness = kernel::Readiness::Create();
  ASSERT_TRUE(readiness);
  kernel::FewDescriptors few(0);
  const auto job = ChildJob::Start(**readiness, "sleep", LastForever, [](const Result<void>&) {});
  ASSERT_FALSE(job);
  EXPECT_NE(job.error().message.find("sleep"), std::string::npos) << job.error().message;
}

// The agent may be killed in the middle of a long deletion. The next one makes pods where this one
// deleted them.
TEST(ChildJob, EndsWithTheAgentThatIsKilled) {
  void* const shared =
      ::mmap(nullptr, sizeof(Flag), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  Flag& works = *new (shared) Flag(false);
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const pid_t agent = ::fork();
  if (agent == 0) {
    ::setpgid(0, 0);
    auto readiness = kernel::Readiness::Create();
    const auto work = [&works] {
      works = true;
      return LastForever();
    };
    const auto job = ChildJob::Start(**readiness, "sleep", work, [](const Result<void>&) {});
    LastForever();
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!works && std::chrono::steady_clock::now() < deadline) ::usleep(100);
  EXPECT_TRUE(works) << "the child does not work";
  ::kill(agent, SIGKILL);
  ASSERT_EQ(::waitpid(agent, nullptr, 0), agent);
  // The child is this process's now.
  int status = 0;
  const pid_t child = WaitAtMost(std::chrono::seconds(10), status);
  if (child == 0) ::kill(-agent, SIGKILL);
  ASSERT_GT(child, 0) << "it still ran";
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  ::munmap(shared, sizeof(Flag));
}

}  // namespace
}  // namespace jettison
