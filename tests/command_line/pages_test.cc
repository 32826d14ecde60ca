// The pages of man say what the program and the configuration have, and are well-formed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "tests/command_line/help.h"
#include "tests/live/program.h"

namespace jettison {
namespace {

using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAreArray;

struct Outcome {
  int status = 0;
  std::string output;
};

Outcome OutcomeOf(const std::vector<std::string>& arguments) {
  Program program(arguments, {});
  const int status = program.Wait();
  return {status, program.output()};
}

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Pages as they are installed.
class Pages : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = OutcomeOf(
        {JETTISON_PYTHON, JETTISON_SOURCE "/man/pages.py", JETTISON_BINARY, folder_.path()});
    ASSERT_EQ(made.status, 0) << made.output;
  }
  // As the source of the page, its hyphens and backslashes as people type them.
  [[nodiscard]] std::string Page(const std::string& name) const {
    const std::string text = TextOf(folder_.path() + "/" + name);
    return std::regex_replace(text, std::regex(R"(\\-)"), "-");
  }
  TemporaryFolder folder_;
};

bool Says(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

TEST_F(Pages, EveryCommandAndOptionIsInThePageAndNoOther) {
  const std::string page = Page("jettison.1");
  const std::vector<std::string> commands = ShownCommands();
  EXPECT_GE(commands.size(), 8U);
  std::vector<std::string> options;
  for (const std::string& command : commands) {
    EXPECT_TRUE(Says(page, ".SS " + command + "\n")) << command;
    for (const std::string& option : ShownOptions(command)) {
      EXPECT_TRUE(Says(page, "\\fB" + option + "\\fR")) << command << " " << option;
      options.push_back(option);
    }
  }
  EXPECT_THAT(AllMatches(page, R"(^\.SS (\S+))"), UnorderedElementsAreArray(commands));
  EXPECT_THAT(options, IsSupersetOf(AllMatches(page, R"(^(?:\\fB-\w\\fR, )?\\fB(--[a-z-]+)\\fR)")));
}

TEST_F(Pages, WhatAnOptionExcludesIsNoDefault) {
  EXPECT_FALSE(Says(Page("jettison.1"), "Excludes"));
}

TEST_F(Pages, EveryFieldOfTheConfigurationIsInThePage) {
  const std::string page = Page("jettison.yaml.5");
  const auto fields =
      AllMatches(TextOf(JETTISON_SOURCE "/docs/configuration.md"), R"(^\| `([^`]+)`)");
  EXPECT_GT(fields.size(), 40U);
  for (const std::string& field : fields) {
    EXPECT_TRUE(Says(page, "\\fB" + field + "\\fR")) << field;
  }
}

TEST_F(Pages, AreWellFormed) {
  for (const char* name : {"jettison.1", "jettison.yaml.5", "jettison.8"}) {
    const Outcome lint =
        OutcomeOf({"/usr/bin/mandoc", "-T", "lint", "-W", "warning", folder_.path() + "/" + name});
    EXPECT_THAT(lint.output, IsEmpty());
    EXPECT_FALSE(Says(Page(name), "@VERSION@"));
  }
}

}  // namespace
}  // namespace jettison
