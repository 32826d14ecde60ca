#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtimes/process/runs/shim_order.h"

namespace jettison::process {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

TEST(EnvironmentOf, AVariableSeesThoseBeforeItAndTheLastOfANameHolds) {
  Container container;
  container.env = {{"B", "$(A)"}, {"A", "1"}, {"C", "$(A)$(B)"}, {"A", "2"}, {"D", "$(A)"}};
  const auto environment = EnvironmentOf(Pod{}, container);
  EXPECT_THAT(environment, Contains("B=$(A)"));
  EXPECT_THAT(environment, Contains("C=1$(A)"));
  EXPECT_THAT(environment, Contains("A=2"));
  EXPECT_THAT(environment, Not(Contains("A=1")));
  EXPECT_THAT(environment, Contains("D=2"));
}

TEST(CommandLineOf, ArgumentsFollowTheCommandBothExpanded) {
  Container container;
  container.command = {"$(TOOL)", "-x"};
  container.args = {"$(TOOL)", "$$(TOOL)", "$(PATH)"};
  container.env = {{"TOOL", "t"}};
  EXPECT_THAT(*CommandLineOf(container), ElementsAre("t", "-x", "t", "$(TOOL)", "$(PATH)"));
}

}  // namespace
}  // namespace jettison::process
