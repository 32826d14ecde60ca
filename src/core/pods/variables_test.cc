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

struct FaultCase {
  const char* rule;
  Container container;
  std::string fault;  // "env[5]"; empty: there is none
};

TEST(ProgramSize, IsWhatLinuxTakesAndNoByteMore) {
  const auto text = [](std::size_t bytes) { return std::string(bytes, 'x'); };
  const auto words = [&](std::size_t count) {
    return std::vector<std::string>(count, text(130'000));
  };
  Container multiplied{.env = {{"V0", text(10)}}};
  for (int i = 1; i < 9; ++i) {
    std::string tenfold;
    for (int j = 0; j < 10; ++j) tenfold += "$(V" + std::to_string(i - 1) + ")";
    multiplied.env.push_back({"V" + std::to_string(i), tenfold});
  }
  const FaultCase cases[] = {
      {"variables that multiply each other", multiplied, "env[5]"},
      {"the longest variable", {.env = {{"V", text(kMostStringBytes - 3)}}}, ""},
      {"a byte more", {.env = {{"V", text(kMostStringBytes - 2)}}}, "env[0]"},
      {"the longest argument", {.args = {text(kMostStringBytes - 1)}}, ""},
      {"a byte more", {.args = {text(kMostStringBytes)}}, "args[0]"},
      {"all strings together", {.command = words(15), .args = words(1)}, ""},
      {"and one more", {.command = words(15), .args = words(2)}, "args[1]"},
  };
  for (const FaultCase& each : cases) {
    const auto fault = ProgramFaultOf(each.container);
    const std::string found =
        fault ? std::string(fault->field) + "[" + std::to_string(fault->index) + "]" : "";
    EXPECT_EQ(found, each.fault) << each.rule;
  }
  EXPECT_THAT(ProgramFaultOf(multiplied)->message,
              AllOf(HasSubstr("the variable V5 would have more than"), HasSubstr("131071")));
}

}  // namespace
}  // namespace jettison
