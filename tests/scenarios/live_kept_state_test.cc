// What a kill of the agent must not make it forget.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

using testing::SizeIs;

class LiveKeptState : public testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    bed_.Configure(
        "evictionHard: {memory.available: 100Mi}\nevictionPressureTransitionPeriod: 20s\n");
  }
  void TearDown() override {
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  void PutLeak() {
    bed_.Put("leak.yaml", AgentBed::Manifest("leak", {JETTISON_BINARY, "workload", "leak", "--rate",
                                                      "200", "--total", "200"}));
  }

  AgentBed bed_;
};

TEST_F(LiveKeptState, AnEvictedPodStaysOutAndTheConditionHoldsOverAKill) {
  bed_.StartAgent();
  PutLeak();
  ASSERT_TRUE(bed_.WaitForLine({"pod is evicted successfully", "pod=default/leak"}));
  ASSERT_TRUE(bed_.WaitForLine({"pods were cleaned up"}));
  // What happened is written within a tenth of a second.
  (void)bed_.WaitForLine({"no such line"}, std::chrono::milliseconds(500));
  for (int i = 0; i < 3; ++i) {
    bed_.KillAgent();
    const std::size_t before = bed_.LinesWith("pod started").size();
    bed_.StartAgent();
    ASSERT_TRUE(
        bed_.WaitForLine({"is not started before its back-off is over", "pod=default/leak"}));
    (void)bed_.WaitForLine({"no such line"}, std::chrono::milliseconds(1500));
    EXPECT_THAT(bed_.LinesWith("pod started"), SizeIs(before)) << "it would be started at once";
  }
  EXPECT_THAT(bed_.LinesWith("NodeHasInsufficientMemory"), SizeIs(1))
      << "the condition holds and is not met anew";
  EXPECT_TRUE(bed_.WaitForLine({"NodeHasSufficientMemory"}, std::chrono::seconds(40)))
      << "and ends when its period is over";
  EXPECT_TRUE(bed_.WaitForLine({"pod started", "pod=default/leak"}, std::chrono::seconds(40)));
}

TEST_F(LiveKeptState, ADamagedFileIsPutAsideAndTheAgentGuards) {
  bed_.StartAgent();
  ASSERT_TRUE(bed_.WaitForLine({"agent is ready"}));
  const std::string path = bed_.folder() + "/root/node-state";
  // It is written beside the loop.
  ASSERT_TRUE(bed_.WaitForFile(path));
  bed_.KillAgent();
  std::ofstream(path) << std::string(1 << 20, 'x');
  bed_.StartAgent();
  EXPECT_TRUE(bed_.WaitForLine({"the saved state cannot be read", ".damaged"}));
  EXPECT_TRUE(bed_.WaitForLine({"agent is ready"}));
  PutLeak();
  EXPECT_TRUE(bed_.WaitForLine({"pod is evicted successfully", "pod=default/leak"}));
}

}  // namespace
}  // namespace jettison
