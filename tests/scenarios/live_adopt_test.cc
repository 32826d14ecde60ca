// The agent's program beside somebody who runs containers on the same containerd, past CRI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "kernel/files/files.h"
#include "kernel/processes/processes.h"
#include "tests/scenarios/containerd_agent_test.h"

namespace jettison {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

class LiveAdopt : public ContainerdAgentTest {
 protected:
  void Start(const std::string& adopt, const std::vector<std::string>& flags = {}) {
    ConfigureAgent("adopt: " + adopt + "\n");
    bed_.StartAgent(flags);
  }
  void Run(const std::string& id, std::vector<std::string> arguments,
           std::vector<std::string> options = {}) {
    const auto run = RunStray(id, std::move(arguments), std::move(options));
    ASSERT_TRUE(run) << run.error().message;
  }
  // The leak is evicted, before the kernel acts, and the dear one goes on.
  void ExpectThatTheLeakGoes() {
    EXPECT_TRUE(IsEvicted("leak"));
    EXPECT_TRUE(IsCleanedUp());
    EXPECT_THAT(bed_.ProcessesIn("others/dear"), SizeIs(1)) << "the dear one goes on";
    EXPECT_EQ(bed_.StopAgent(), 0);
    EXPECT_THAT(Evictions(), SizeIs(1));
  }
  [[nodiscard]] static pid_t ParentOf(pid_t pid) {
    return jettison::ParentOf(
        kernel::ReadFile("/proc/" + std::to_string(pid) + "/stat").value_or(""));
  }
};

TEST_F(LiveAdopt, SomebodyElsesContainerThatGrowsIsEvictedAndNobodyElse) {
  ASSERT_NO_FATAL_FAILURE(Run("dear", {"hog", "30"}, {"--label", "jettison.io/priority=10"}));
  ASSERT_NO_FATAL_FAILURE(Run("leak", {"hog", "180", "60"}));
  Start("evict");
  ExpectThatTheLeakGoes();
  EXPECT_TRUE(containerd_->Ctr("default", {"containers", "info", "leak"})) << "it is its owner's";
}

TEST_F(LiveAdopt, OneThatProcHidesOrWhoseFirstThreadHasEndedIsEvictedAndNobodyElse) {
  // What has a capability that the agent lacks is hidden from it.
  const std::vector<std::string> hidden = {"--cap-add", "CAP_SYS_PTRACE"};
  ASSERT_NO_FATAL_FAILURE(Run("dear", {"hog", "30"}, hidden));
  ASSERT_NO_FATAL_FAILURE(Run("leak", {"thread-hog", "180", "60"}, hidden));
  ConfigureAgent("adopt: evict\n");
  bed_.StartAgent({}, AgentBed::Place::kHiddenProcesses);
  ExpectThatTheLeakGoes();
  EXPECT_THAT(bed_.LinesWith("/proc hides processes of containers"), SizeIs(1));
}

// Its shim is stopped, so that nobody notices the end of its first process; what that has left
// behind then grows.
TEST_F(LiveAdopt, OneWhoseFirstProcessIsAZombieAndThatGrowsIsEvictedAndNobodyElse) {
  ASSERT_NO_FATAL_FAILURE(Run("dear", {"hog", "30"}));
  const auto leak =
      RunStray("leak", {"heir-hog", "180", "60"}, {"--with-ns", "pid:/proc/1/ns/pid"});
  if (!leak)
    GTEST_SKIP() << "a container cannot share the machine's process ids: " << leak.error().message;
  Start("evict");
  ASSERT_TRUE(IsFound("leak"));
  const std::vector<pid_t> processes = bed_.ProcessesIn("others/leak");
  ASSERT_THAT(processes, SizeIs(2));
  const pid_t shim = ParentOf(processes.front());
  ASSERT_GT(shim, 1);
  ASSERT_EQ(::kill(shim, SIGSTOP), 0);
  ASSERT_EQ(::kill(processes.front(), SIGKILL), 0);
  EXPECT_TRUE(IsEvicted("leak"));
  EXPECT_EQ(::kill(shim, SIGCONT), 0);
  EXPECT_TRUE(IsCleanedUp());
  EXPECT_THAT(bed_.ProcessesIn("others/dear"), SizeIs(1)) << "the dear one goes on";
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(Evictions(), SizeIs(1));
}

TEST_F(LiveAdopt, ObservedOnesAreNotEvictedAndThatIsSaid) {
  ASSERT_NO_FATAL_FAILURE(Run("leak", {"hog", "180"}));
  Start("observe");
  EXPECT_TRUE(IsFound("leak"));
  EXPECT_TRUE(bed_.WaitForLine({"unable to evict any pods from the node"}));
  EXPECT_TRUE(bed_.WaitForLine({"foreign pods are only observed", "count=1"}));
  EXPECT_THAT(bed_.Processes(), SizeIs(1));
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(Evictions(), IsEmpty());
}

TEST_F(LiveAdopt, AfterARestartOfTheAgentTheyAreFoundAgainOnce) {
  ASSERT_NO_FATAL_FAILURE(Run("a", {"pause"}));
  ASSERT_NO_FATAL_FAILURE(Run("b", {"pause"}));
  const std::vector<pid_t> before = bed_.Processes();
  EXPECT_THAT(before, SizeIs(2));
  Start("evict");
  EXPECT_TRUE(IsReady());
  EXPECT_THAT(bed_.LinesWith("foreign pod found"), SizeIs(2));
  bed_.KillAgent();
  Start("evict", {"--stop-pods"});
  EXPECT_TRUE(IsReady());
  EXPECT_EQ(bed_.StopAgent(), 0);
  EXPECT_THAT(bed_.LinesWith("foreign pod found"), SizeIs(4));
  EXPECT_THAT(bed_.Processes(), UnorderedElementsAreArray(before)) << "they are not its own";
}

}  // namespace
}  // namespace jettison
