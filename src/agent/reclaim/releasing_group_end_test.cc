#include "agent/reclaim/releasing_group_end.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

#include "ports/fakes/child_process.h"
#include "ports/fakes/fake_cgroups.h"

namespace jettison {
namespace {

// No process has such a number.
constexpr pid_t kNobody = 1 << 30;

TEST(ReleasingGroupEnd, KillsAndRemovesAndTellsWhatTheGroupsAnswer) {
  FakeCgroups groups;
  ReleasingGroupEnd releasing(groups);
  ASSERT_TRUE(groups.Create("pod", {}));
  ASSERT_TRUE(groups.Join("pod", kNobody));
  EXPECT_FALSE(releasing.Remove("pod"));
  EXPECT_TRUE(releasing.Kill("pod"));
  EXPECT_TRUE(releasing.Remove("pod"));
  EXPECT_FALSE(groups.Exists("pod"));
  EXPECT_EQ(releasing.Kill("pod").error().code, ErrorCode::kNotFound);
}

TEST(ReleasingGroupEnd, AKilledProcessEndsWhileItsMemoryIsTaken) {
  ChildProcess child([](const std::function<void()>& ready) {
    TouchMemory(std::size_t{64} << 20);
    ready();
    SleepForever();
  });
  child.Start();
  ASSERT_TRUE(child.AwaitReady());
  FakeCgroups groups;
  groups.OnSignal([](pid_t pid, int signal) { kill(pid, signal); });
  {
    ReleasingGroupEnd releasing(groups);
    ASSERT_TRUE(groups.Create("pod", {}));
    ASSERT_TRUE(groups.Join("pod", child.pid()));
    EXPECT_TRUE(releasing.Kill("pod"));
  }
  const int status = child.Wait();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

}  // namespace
}  // namespace jettison
