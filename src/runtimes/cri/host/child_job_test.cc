#include "runtimes/cri/host/child_job.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

#include "kernel/groups/few_descriptors.h"
#include "ports/file_descriptor.h"

namespace jettison::cri {
namespace {

// Deleting the files of a pod may take minutes.
int LastForever() {
  for (;;) ::pause();
}

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
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const FileDescriptor from_child(ends[0]);
  // The one that is left in this process is closed below: the child's is the copy of the agent.
  FileDescriptor to_test(ends[1]);
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const pid_t agent = ::fork();
  if (agent == 0) {
    ::setpgid(0, 0);
    auto readiness = kernel::Readiness::Create();
    const auto job = ChildJob::Start(**readiness, "sleep", LastForever, [](const Result<void>&) {});
    const char started = job ? 'y' : 'n';
    (void)!::write(to_test.get(), &started, 1);
    LastForever();
  }
  to_test.Close();
  char started = 0;
  ASSERT_EQ(::read(from_child.get(), &started, 1), 1);
  ASSERT_EQ(started, 'y');
  ::kill(agent, SIGKILL);
  ASSERT_EQ(::waitpid(agent, nullptr, 0), agent);
  // The child is this process's now.
  int status = 0;
  const pid_t child = WaitAtMost(std::chrono::seconds(10), status);
  if (child == 0) ::kill(-agent, SIGKILL);
  ASSERT_GT(child, 0) << "it still ran";
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

}  // namespace
}  // namespace jettison::cri
