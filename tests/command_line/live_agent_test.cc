// What `status`, `top` and completion say of a real agent.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/command_line/terminal.h"
#include "tests/live/program.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

class LiveAgentSeen : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!bed_.error().empty()) GTEST_SKIP() << bed_.error();
    bed_.Configure("evictionHard: {memory.available: 100Mi}\n");
    bed_.Put("quiet.yaml", AgentBed::Manifest("quiet", {"sleep", "1000"}));
    bed_.StartAgent();
    ASSERT_TRUE(bed_.WaitForLine({"Started container main"}));
  }
  void TearDown() override {
    if (!HasFailure()) return;
    for (const std::string& line : bed_.lines()) ADD_FAILURE() << line;
  }
  [[nodiscard]] std::string Says(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), JETTISON_BINARY);
    Program program(arguments, {"JETTISON_SERVER=" + bed_.endpoint()});
    EXPECT_EQ(program.Wait(), 0) << program.output();
    return program.output();
  }
  AgentBed bed_;
};

TEST_F(LiveAgentSeen, StatusAndTopTellOfAnEviction) {
  Terminal top({JETTISON_BINARY, "top", "--server", bed_.endpoint(), "--interval", "0.2"},
               {"TERM=xterm", "LC_ALL=C.UTF-8"}, 120, 30);
  EXPECT_TRUE(top.WaitFor("no pressure")) << top.output();
  EXPECT_TRUE(top.WaitFor("quiet"));
  bed_.Put("leak.yaml", AgentBed::Manifest("leak", {JETTISON_BINARY, "workload", "leak", "--rate",
                                                    "200", "--total", "200"}));
  ASSERT_TRUE(bed_.WaitForLine({"pods were cleaned up"}));
  EXPECT_TRUE(top.WaitFor("Evicted default/leak")) << top.output();
  EXPECT_TRUE(top.WaitFor("MemoryPressure"));
  top.Type("q");
  EXPECT_EQ(top.Wait(), 0);
  const std::string status = Says({"status"});
  EXPECT_THAT(status, HasSubstr("  MemoryPressure"));
  EXPECT_THAT(status, HasSubstr("LAST EVICTIONS\n  default/leak"));
  EXPECT_THAT(status, HasSubstr("hard 100Mi"));
}

TEST_F(LiveAgentSeen, CompletionKnowsItsPods) {
  EXPECT_THAT(Says({"complete", "--", "explain", ""}), HasSubstr("default/quiet\trunning"));
}

}  // namespace
}  // namespace jettison
