
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/pods/variables.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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
              AllOf(HasSubstr("container c: env[5]: the variable V5 would have 1000003 bytes"),
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

TEST(ProgramSize, IsThatOfWhatComesOutOfTheExpansion) {
  std::mt19937 random(13);
  const std::string_view parts[] = {"$(A)", "$(B)", "$$", "$", "(", ")", "x", "$(", "$(NONE)"};
  for (int round = 0; round < 2000; ++round) {
    Container container{.name = "c"};
    const auto text = [&] {
      std::string made;
      for (auto i = random() % 6; i > 0; --i) made += parts[random() % std::size(parts)];
      return made;
    };
    container.env = {{"A", text()}, {"B", text()}, {"A", text()}, {"C", text()}};
    container.args = {std::string(kMostStringBytes, 'x')};
    const Variables variables = OwnVariables(container);
    container.args = {text() + std::string(kMostStringBytes, 'x')};
    const std::string expanded = variables.Expand(container.args[0]);
    EXPECT_THAT(ProgramFaultOf(container)->message,
                HasSubstr("have " + std::to_string(expanded.size()) + " bytes"))
        << container.args[0].substr(0, 60);
  }
}

}  // namespace
}  // namespace jettison
