#include "core/pods/variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::string ExpandWith(std::string_view text) {
  static const std::map<std::string, std::string, std::less<>> kVariables = {
      {"A", "a"}, {"EMPTY", ""}, {"NESTED", "$(A)"}, {"WITH SPACE", "w"}};
  return Expand(text, [](std::string_view name) -> std::optional<std::string> {
    const auto it = kVariables.find(name);
    return it == kVariables.end() ? std::nullopt : std::optional(it->second);
  });
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

}  // namespace
}  // namespace jettison
