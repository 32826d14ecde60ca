// What `status`, `top` and completion say of a real agent.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/command_line/running_agent.h"
#include "tests/command_line/terminal.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

class LiveAgentSeen : public RunningAgent {};

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

TEST_F(LiveAgentSeen, CompletionKnowsItsPods) {
  EXPECT_THAT(Says({"complete", "--", "explain", ""}), HasSubstr("default/quiet\trunning"));
}

}  // namespace
}  // namespace jettison
