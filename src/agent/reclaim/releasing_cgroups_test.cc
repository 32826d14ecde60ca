#include "agent/reclaim/releasing_cgroups.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

#include "ports/fakes/child_process.h"
#include "ports/fakes/fake_cgroups.h"

namespace jettison {
namespace {

TEST(ReleasingCgroups, KillsAndForwardsWhatTheGroupsAnswer) {
  FakeCgroups groups;
  ReleasingCgroups releasing(groups);
  ASSERT_TRUE(releasing.Create("pod", {}));
  EXPECT_TRUE(releasing.Kill("pod"));
  EXPECT_TRUE(releasing.ReadMemory("pod"));
  EXPECT_TRUE(releasing.Remove("pod"));
  EXPECT_FALSE(releasing.ReadMemory("pod"));
}

TEST(ReleasingCgroups, AKilledProcessEndsWhileItsMemoryIsTaken) {
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
    ReleasingCgroups releasing(groups);
    ASSERT_TRUE(releasing.Create("pod", {}));
    ASSERT_TRUE(releasing.Join("pod", child.pid()));
    EXPECT_TRUE(releasing.Kill("pod"));
  }
  const int status = child.Wait();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

}  // namespace
}  // namespace jettison
