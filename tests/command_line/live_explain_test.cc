// What `explain` and `rank` say of a real agent, while it runs and after its restart.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/live/program.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

class LiveExplain : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    bed_.Configure("evictionHard: {memory.available: 100Mi}\n");
    bed_.Put("quiet.yaml", AgentBed::Manifest("quiet", {"sleep", "1000"}));
    bed_.StartAgent();
    ASSERT_TRUE(bed_.WaitForLine({"Started container main"}));
    bed_.Put("leak.yaml", AgentBed::Manifest("leak", {JETTISON_BINARY, "workload", "leak", "--rate",
                                                      "200", "--total", "200"}));
    ASSERT_TRUE(bed_.WaitForLine({"pods were cleaned up"}));
  }
  void TearDown() override {
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  [[nodiscard]] std::string Says(std::vector<std::string> arguments, int status = 0) const {
    arguments.insert(arguments.begin(), JETTISON_BINARY);
    Program program(arguments, {"JETTISON_SERVER=" + bed_.endpoint()});
    EXPECT_EQ(program.Wait(), status) << program.output();
    return program.output();
  }
  AgentBed bed_;
};

TEST_F(LiveExplain, AnEvictionAPodAndWhatWouldHappenNow) {
  const std::string eviction = Says({"explain", "ev-1"});
  EXPECT_THAT(eviction, HasSubstr("default/leak was evicted: the node was low on memory.\n"));
  EXPECT_THAT(eviction, HasSubstr("- inactive file"));
  EXPECT_THAT(eviction, HasSubstr("less, default/quiet would have been evicted."));
  EXPECT_THAT(Says({"explain", "ev-1", "--output", "json"}), HasSubstr("\"about\":\"eviction\""));
  EXPECT_THAT(Says({"explain", "default/quiet"}),
              HasSubstr("default/quiet: BestEffort, priority 0"));
  EXPECT_THAT(Says({"explain"}), HasSubstr("WHO WOULD GO FIRST"));
  EXPECT_THAT(Says({"rank", "--signal", "memory.available"}), HasSubstr("default/quiet"));
  EXPECT_THAT(Says({"explain", "default/quit"}, 1), HasSubstr("did you mean \"default/quiet\"?"));
  EXPECT_THAT(Says({"explain", "ev-9"}, 1), HasSubstr("there is no eviction \"ev-9\""));
}

TEST_F(LiveExplain, WhyOutlivesThePodAndTheAgent) {
  bed_.Remove("leak.yaml");
  EXPECT_EQ(bed_.StopAgent(), 0);
  bed_.StartAgent();
  ASSERT_TRUE(bed_.WaitForLine({"agent is ready"}));
  EXPECT_THAT(Says({"explain", "leak"}), HasSubstr("eviction ev-1, "));
}

}  // namespace
}  // namespace jettison
