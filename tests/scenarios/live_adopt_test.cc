// The agent's program beside somebody who runs containers on the same containerd, past CRI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>

#include "kernel/files/files.h"
#include "kernel/processes/processes.h"
#include "runtimes/cri/test_bed/containerd_remains.h"
#include "runtimes/cri/test_bed/live_containerd.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

class LiveAdopt : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto obstacle = cri::LiveContainerd::Obstacle()) GTEST_SKIP() << *obstacle;
    if (!agent_.error().empty()) GTEST_SKIP() << agent_.error();
    auto containerd = cri::LiveContainerd::Start();
    ASSERT_TRUE(containerd) << containerd.error().message;
    containerd_ = std::move(*containerd);
    agent_.Configure("containerRuntimeEndpoint: " + containerd_->endpoint() +
                     "\nevictionHard: {memory.available: 100Mi}\n");
  }
  void TearDown() override {
    if (HasFailure()) {
      for (const std::string& line : agent_.lines()) ADD_FAILURE() << line;
    }
    agent_.KillAgent();
    if (!containerd_) return;
    const std::string folder = containerd_->folder();
    containerd_.reset();
    EXPECT_THAT(cri::ProcessesOf(folder), IsEmpty());
  }

  void Start(const std::string& adopt, const std::vector<std::string>& flags = {}) {
    agent_.ConfigureAgent("runtime: cri\nmonitoringInterval: 500ms\nadopt: " + adopt + "\n");
    agent_.StartAgent(flags);
  }
  // Somebody else runs the test program in the node's group.
  void Run(const std::string& id, std::vector<std::string> arguments,
           std::vector<std::string> options = {}) {
    const auto run = containerd_->RunStray({.id = id,
                                            .group = agent_.group() + "/others/" + id,
                                            .options = std::move(options),
                                            .arguments = std::move(arguments)});
    ASSERT_TRUE(run) << run.error().message;
  }
  [[nodiscard]] bool IsFound(const std::string& id) {
    return agent_.WaitForLine({"foreign pod found", "pod=default/" + id});
  }

  // The leak is evicted, before the kernel acts, and the dear one goes on.
  void ExpectThatTheLeakGoes() {
    EXPECT_TRUE(agent_.WaitForLine({"pod is evicted successfully", "pod=default/leak"}));
    EXPECT_TRUE(agent_.WaitForLine({"pods were cleaned up"}));
    EXPECT_THAT(agent_.ProcessesIn("others/dear"), SizeIs(1)) << "the dear one goes on";
    EXPECT_EQ(agent_.StopAgent(), 0);
    EXPECT_THAT(agent_.LinesWith("pod is evicted successfully"), SizeIs(1));
  }
  [[nodiscard]] static pid_t ParentOf(pid_t pid) {
    return jettison::ParentOf(
        kernel::ReadFile("/proc/" + std::to_string(pid) + "/stat").value_or(""));
  }

  AgentBed agent_;
  std::unique_ptr<cri::LiveContainerd> containerd_;
};

TEST_F(LiveAdopt, SomebodyElsesContainerThatGrowsIsEvictedAndNobodyElse) {
  ASSERT_NO_FATAL_FAILURE(Run("dear", {"hog", "30"}, {"--label", "jettison.io/priority=10"}));
  ASSERT_NO_FATAL_FAILURE(Run("leak", {"hog", "180", "60"}));
  Start("evict");
  EXPECT_TRUE(agent_.WaitForLine({"pod is evicted successfully", "pod=default/leak"}));
  EXPECT_TRUE(agent_.WaitForLine({"pods were cleaned up"}));
  EXPECT_THAT(agent_.Processes(), SizeIs(1)) << "the dear one goes on";
  EXPECT_TRUE(containerd_->Ctr("default", {"containers", "info", "leak"})) << "it is its owner's";
  EXPECT_EQ(agent_.StopAgent(), 0);
  EXPECT_THAT(agent_.LinesWith("pod is evicted successfully"), SizeIs(1));
}

TEST_F(LiveAdopt, OneThatProcHidesAndThatGrowsIsEvictedAndNobodyElse) {
  // What has a capability that the agent lacks is hidden from it.
  const std::vector<std::string> hidden = {"--cap-add", "CAP_SYS_PTRACE"};
  ASSERT_NO_FATAL_FAILURE(Run("dear", {"hog", "30"}, hidden));
  ASSERT_NO_FATAL_FAILURE(Run("leak", {"hog", "180", "60"}, hidden));
  agent_.ConfigureAgent("runtime: cri\nmonitoringInterval: 500ms\nadopt: evict\n");
  agent_.StartAgentWithHiddenProcesses();
  ExpectThatTheLeakGoes();
  EXPECT_THAT(agent_.LinesWith("/proc hides processes of containers"), SizeIs(1));
}

TEST_F(LiveAdopt, OneWhoseFirstThreadHasEndedAndThatGrowsIsEvictedAndNobodyElse) {
  ASSERT_NO_FATAL_FAILURE(Run("dear", {"hog", "30"}));
  ASSERT_NO_FATAL_FAILURE(Run("leak", {"thread-hog", "180", "60"}));
  Start("evict");
  ExpectThatTheLeakGoes();
}

// Its shim is stopped, so that nobody notices the end of its first process; what that has left
// behind then grows.
TEST_F(LiveAdopt, OneWhoseFirstProcessIsAZombieAndThatGrowsIsEvictedAndNobodyElse) {
  ASSERT_NO_FATAL_FAILURE(Run("dear", {"hog", "30"}));
  const auto leak = containerd_->RunStray({.id = "leak",
                                           .group = agent_.group() + "/others/leak",
                                           .options = {"--with-ns", "pid:/proc/1/ns/pid"},
                                           .arguments = {"heir-hog", "180", "60"}});
  if (!leak)
    GTEST_SKIP() << "a container cannot share the machine's process ids: " << leak.error().message;
  Start("evict");
  ASSERT_TRUE(IsFound("leak"));
  const std::vector<pid_t> processes = agent_.ProcessesIn("others/leak");
  ASSERT_THAT(processes, SizeIs(2));
  const pid_t shim = ParentOf(processes.front());
  ASSERT_GT(shim, 1);
  ASSERT_EQ(::kill(shim, SIGSTOP), 0);
  ASSERT_EQ(::kill(processes.front(), SIGKILL), 0);
  EXPECT_TRUE(agent_.WaitForLine({"pod is evicted successfully", "pod=default/leak"}));
  EXPECT_TRUE(agent_.WaitForLine({"pods were cleaned up"}));
  EXPECT_EQ(::kill(shim, SIGCONT), 0);
  EXPECT_THAT(agent_.ProcessesIn("others/dear"), SizeIs(1)) << "the dear one goes on";
  EXPECT_EQ(agent_.StopAgent(), 0);
  EXPECT_THAT(agent_.LinesWith("pod is evicted successfully"), SizeIs(1));
}

TEST_F(LiveAdopt, ObservedOnesAreNotEvictedAndThatIsSaid) {
  ASSERT_NO_FATAL_FAILURE(Run("leak", {"hog", "180"}));
  Start("observe");
  EXPECT_TRUE(IsFound("leak"));
  EXPECT_TRUE(agent_.WaitForLine({"unable to evict any pods from the node"}));
  EXPECT_TRUE(agent_.WaitForLine({"foreign pods are only observed", "count=1"}));
  EXPECT_THAT(agent_.Processes(), SizeIs(1));
  EXPECT_EQ(agent_.StopAgent(), 0);
  EXPECT_THAT(agent_.LinesWith("pod is evicted successfully"), IsEmpty());
}

TEST_F(LiveAdopt, AfterARestartOfTheAgentTheyAreFoundAgainOnce) {
  ASSERT_NO_FATAL_FAILURE(Run("a", {"pause"}));
  ASSERT_NO_FATAL_FAILURE(Run("b", {"pause"}));
  const std::vector<pid_t> before = agent_.Processes();
  EXPECT_THAT(before, SizeIs(2));
  Start("evict");
  EXPECT_TRUE(agent_.WaitForLine({"agent is ready"}));
  EXPECT_THAT(agent_.LinesWith("foreign pod found"), SizeIs(2));
  agent_.KillAgent();
  Start("evict", {"--stop-pods"});
  EXPECT_TRUE(agent_.WaitForLine({"agent is ready"}));
  EXPECT_EQ(agent_.StopAgent(), 0);
  EXPECT_THAT(agent_.LinesWith("foreign pod found"), SizeIs(4));
  EXPECT_THAT(agent_.Processes(), UnorderedElementsAreArray(before)) << "they are not its own";
}

}  // namespace
}  // namespace jettison
