// What commands say of a real agent, while it runs and after its restart.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "tests/command_line/terminal.h"
#include "tests/live/program.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

// An agent with a quiet pod, default/quiet, that evicts below 100Mi; the commands that ask it.
class LiveAgentSeen : public AgentTest {
 protected:
  void Prepare() override {
    bed_.Configure("evictionHard: {memory.available: 100Mi}\n");
    PutSleeper("quiet");
    bed_.StartAgent();
    ASSERT_TRUE(HasStarted());
  }
  // Starts default/leak and waits until it was evicted and is gone.
  void EvictALeak() {
    PutLeak();
    ASSERT_TRUE(IsCleanedUp());
  }
  // The output of a command, which must end with this status.
  [[nodiscard]] std::string Says(std::vector<std::string> arguments, int status = 0) const {
    arguments.insert(arguments.begin(), JETTISON_BINARY);
    Program program(arguments, {"JETTISON_SERVER=" + bed_.endpoint()});
    EXPECT_EQ(program.Wait(), status) << program.output();
    return program.output();
  }

  // The same; the command is repeated until its output contains this text, because the agent shows
  // pods as of the last full pass, which waits for the disk figures.
  [[nodiscard]] std::string SaysSoon(const std::vector<std::string>& arguments,
                                     const std::string& part) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::string text = Says(arguments);
    while (text.find(part) == std::string::npos && std::chrono::steady_clock::now() < deadline) {
      text = Says(arguments);
    }
    return text;
  }
};

TEST_F(LiveAgentSeen, StatusAndTopTellOfAnEviction) {
  Terminal top({JETTISON_BINARY, "top", "--server", bed_.endpoint(), "--interval", "0.2"},
               {"TERM=xterm", "LC_ALL=C.UTF-8"}, 120, 30);
  EXPECT_TRUE(top.WaitFor("no pressure")) << top.output();
  EXPECT_TRUE(top.WaitFor("quiet"));
  EvictALeak();
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_TRUE(top.WaitFor("Evicted default/leak")) << top.output();
  EXPECT_TRUE(top.WaitFor("MemoryPressure"));
  top.Signal(SIGINT);
  EXPECT_EQ(top.Wait(), 0);
  const std::string status = Says({"status"});
  EXPECT_THAT(status, HasSubstr("  MemoryPressure for "));
  EXPECT_THAT(status, HasSubstr("Evicted default/leak"));
  EXPECT_THAT(status, HasSubstr("hard 100Mi"));
}

TEST_F(LiveAgentSeen, ExplainTellsAnEvictionAPodAndWhatWouldHappenNow) {
  ASSERT_NO_FATAL_FAILURE(EvictALeak());
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

TEST_F(LiveAgentSeen, WhyOutlivesThePodAndInTheRecordingTheAgent) {
  ASSERT_NO_FATAL_FAILURE(EvictALeak());
  bed_.Remove("leak.yaml");
  EXPECT_THAT(Says({"explain", "leak"}), HasSubstr("eviction ev-1, "));
  EXPECT_EQ(bed_.StopAgent(), 0);
  bed_.StartAgent();
  ASSERT_TRUE(IsReady());
  EXPECT_THAT(Says({"explain", "leak"}, 1), HasSubstr("since the agent started at "));
  const std::string recording = bed_.folder() + "/node.jtr";
  (void)Says({"record", recording});
  EXPECT_THAT(Says({"explain", "--file", recording, "leak"}),
              HasSubstr("default/leak was evicted: the node was low on memory"));
}

}  // namespace
}  // namespace jettison
