// What `explain` and `rank` say of a real agent, while it runs and after its restart.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/command_line/running_agent.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

class LiveExplain : public RunningAgent {
 protected:
  void SetUp() override {
    RunningAgent::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) EvictALeak();
  }
};

TEST_F(LiveExplain, AnEvictionAPodAndWhatWouldHappenNow) {
  const std::string eviction = Says({"explain", "ev-1"});
  EXPECT_THAT(eviction, HasSubstr("default/leak was evicted: the node was low on memory.\n"));
  EXPECT_THAT(eviction, HasSubstr("- inactive file"));
  EXPECT_THAT(eviction, HasSubstr("for default/leak, default/quiet would"));
  EXPECT_THAT(Says({"explain", "ev-1", "--output", "json"}), HasSubstr("\"about\":\"eviction\""));
  EXPECT_THAT(SaysSoon({"rank", "--signal", "memory.available"}, "default/quiet"),
              HasSubstr("default/quiet"));
  EXPECT_THAT(Says({"explain", "default/quiet"}),
              HasSubstr("default/quiet: BestEffort, priority 0"));
  EXPECT_THAT(Says({"explain"}), HasSubstr("EVICTED FIRST, BY SIGNAL"));
  EXPECT_THAT(Says({"explain", "default/quit"}, 1), HasSubstr("did you mean \"default/quiet\"?"));
  EXPECT_THAT(Says({"explain", "ev-9"}, 1), HasSubstr("there is no eviction \"ev-9\""));
}

TEST_F(LiveExplain, WhyOutlivesThePodAndInTheRecordingTheAgent) {
  bed_.Remove("leak.yaml");
  EXPECT_THAT(Says({"explain", "leak"}), HasSubstr("eviction ev-1, "));
  EXPECT_EQ(bed_.StopAgent(), 0);
  bed_.StartAgent();
  ASSERT_TRUE(bed_.WaitForLine({"agent is ready"}));
  EXPECT_THAT(Says({"explain", "leak"}, 1), HasSubstr("since the agent started at "));
  const std::string recording = bed_.folder() + "/node.jtr";
  (void)Says({"record", recording});
  EXPECT_THAT(Says({"explain", "--file", recording, "leak"}),
              HasSubstr("default/leak was evicted: the node was low on memory"));
}

}  // namespace
}  // namespace jettison
