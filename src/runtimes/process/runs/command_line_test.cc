#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtimes/process/runs/shim_order.h"

namespace jettison::process {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
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

TEST(EnvironmentOf, GivesPathHomeAndHostNameUnlessTheContainerDoes) {
  Pod pod;
  pod.name = std::string(70, 'n');
  Container container;
  EXPECT_THAT(EnvironmentOf(pod, container),
              ElementsAre("PATH=" + std::string(kDefaultPath), "HOME=/root",
                          "HOSTNAME=" + std::string(63, 'n')));
  container.env = {{"PATH", "/opt"}, {"HOSTNAME", "h"}};
  EXPECT_THAT(EnvironmentOf(pod, container), ElementsAre("PATH=/opt", "HOME=/root", "HOSTNAME=h"));
}

TEST(CommandLineOf, ArgumentsFollowTheCommandBothExpanded) {
  Container container;
  container.command = {"$(TOOL)", "-x"};
  container.args = {"$(TOOL)", "$$(TOOL)", "$(PATH)"};
  container.env = {{"TOOL", "t"}};
  EXPECT_THAT(*CommandLineOf(container), ElementsAre("t", "-x", "t", "$(TOOL)", "$(PATH)"));
}

TEST(CommandLineOf, WithoutACommandThereIsNothingToRun) {
  Container container;
  container.name = "web";
  container.args = {"serve"};
  const auto line = CommandLineOf(container);
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(line.error().message,
              HasSubstr("web has no command; the process runtime has no image to take one from"));
}

}  // namespace
}  // namespace jettison::process
