#include "core/pods/variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace jettison {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string ExpandWith(std::string_view text) {
  return Variables({{"A", "a"}, {"EMPTY", ""}, {"NESTED", "$(A)"}, {"WITH SPACE", "w"}})
      .Expand(text);
}

TEST(Expand, FollowsKubernetesRules) {
  const std::map<std::string, std::string> cases = {
      {"", ""},
      {"plain", "plain"},
      {"$(A)", "a"},
      {"x$(A)y$(A)z", "xayaz"},
      {"$(EMPTY)|", "|"},
      {"$(UNKNOWN)", "$(UNKNOWN)"},
      {"$$(A)", "$(A)"},
      {"$$$(A)", "$a"},
      {"$$$$(A)", "$$(A)"},
      {"$A", "$A"},
      {"${A}", "${A}"},
      {"$", "$"},
      {"$$", "$"},
      {"$(", "$("},
      {"$(A", "$(A"},
      {"$()", "$()"},
      {"$(NESTED)", "$(A)"},
      {"$(WITH SPACE)", "w"},
      {"$(A))", "a)"},
      {"$($(A))", "$($(A))"},
  };
  for (const auto& [text, expanded] : cases) EXPECT_EQ(ExpandWith(text), expanded) << text;
}

TEST(OwnVariables, SeeThoseBeforeThemAndTheLastOfANameHolds) {
  Container container;
  container.env = {{"B", "$(A)"}, {"A", "1"}, {"C", "$(A)$(B)"}, {"A", "2"}, {"D", "$(A)"}};
  EXPECT_THAT(OwnVariables(container).entries(),
              ElementsAre(Pair("B", "$(A)"), Pair("A", "2"), Pair("C", "1$(A)"), Pair("D", "2")));
}

std::string Repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ProgramSize, VariablesThatMultiplyEachOtherAreRefusedAtTheFirstThatIsTooLarge) {
  Container container{.name = "c"};
  container.env = {{"V0", "xxxxxxxxxx"}};
  for (int i = 1; i < 9; ++i) {
    container.env.push_back(
        {"V" + std::to_string(i), Repeated("$(V" + std::to_string(i - 1) + ")", 10)});
  }
  const auto fault = ProgramFaultOf(container);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->field, "env");
  EXPECT_EQ(fault->index, 5U);
  EXPECT_THAT(CheckProgram(container).error().message,
              AllOf(HasSubstr("container c: env[5]: the variable V5 would have more than"),
                    HasSubstr("131071")));
}

TEST(ProgramSize, AStringMayHaveWhatLinuxTakesAndNoByteMore) {
  Container container{.name = "c"};
  container.env = {{"V", std::string(kMostStringBytes - 3, 'x')}};
  EXPECT_TRUE(CheckProgram(container));
  container.env[0].value += 'x';
  EXPECT_FALSE(CheckProgram(container));
  container.env.clear();
  container.args = {std::string(kMostStringBytes - 1, 'x')};
  EXPECT_TRUE(CheckProgram(container));
  container.args[0] += 'x';
  EXPECT_EQ(ProgramFaultOf(container)->field, "args");
}

TEST(ProgramSize, AllStringsTogetherHaveALimit) {
  Container container{.name = "c"};
  for (int i = 0; i < 15; ++i) container.command.emplace_back(130'000, 'x');
  EXPECT_TRUE(CheckProgram(container));
  for (int i = 0; i < 2; ++i) container.args.emplace_back(130'000, 'x');
  const auto fault = ProgramFaultOf(container);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->field, "args");
  EXPECT_EQ(fault->index, 1U);
  EXPECT_THAT(fault->message, HasSubstr("environment and arguments"));
}

}  // namespace
}  // namespace jettison
