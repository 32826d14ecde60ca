// What the program says of itself: in its pages of man, which are well-formed and say what the
// program and the configuration have, and in completion as the shells themselves do it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "tests/live/program.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAreArray;

// The first group of every match of a pattern in a text; ^ and $ are the ends of its lines.
std::vector<std::string> AllMatches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern, std::regex::multiline);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    found.push_back((*it)[1]);
  }
  return found;
}

struct Outcome {
  int status = 0;
  std::string output;
};

Outcome OutcomeOf(const std::vector<std::string>& arguments) {
  Program program(arguments, {});
  const int status = program.Wait();
  return {status, program.output()};
}

std::string HelpOf(std::vector<std::string> command) {
  command.insert(command.begin(), JETTISON_BINARY);
  command.emplace_back("--help");
  return OutcomeOf(command).output;
}

// Every command that is shown.
std::vector<std::string> ShownCommands() {
  const std::string help = HelpOf({});
  const std::size_t begin = help.find("Subcommands:");
  if (begin == std::string::npos) return {};
  const std::size_t end = help.find("\n\n", begin);  // the examples follow
  return AllMatches(help.substr(begin, end - begin), R"(^  ([a-z][a-z-]+) )");
}

// The long options of a command, --help left out: "--output".
std::vector<std::string> ShownOptions(const std::string& command) {
  std::vector<std::string> options = AllMatches(HelpOf({command}), R"(^  (?:-\w,)?(--[a-z-]+))");
  std::erase(options, "--help");
  return options;
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

constexpr const char* kScripts = JETTISON_SOURCE "/packaging/completions/";

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What bash offers for a command line; the word under the cursor is the last one.
std::vector<std::string> BashOffers(const std::string& words) {
  const std::string script = "source " + Quoted(kScripts + std::string("jettison.bash")) +
                             "; COMP_WORDS=(" + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _jettison; " +
                             "printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Outcome bash = OutcomeOf({"/bin/bash", "--norc", "-c", script});
  EXPECT_EQ(bash.status, 0) << bash.output;
  return LinesOf(bash.output);
}

std::string Line(const std::string& rest) {
  return Quoted(JETTISON_BINARY) + " " + rest;
}

TEST(BashCompletion, OffersEveryCommandAndEveryOption) {
  EXPECT_THAT(BashOffers(Line("''")), UnorderedElementsAreArray(ShownCommands()));
  for (const std::string& command : ShownCommands()) {
    EXPECT_THAT(BashOffers(Line(command + " --")), IsSupersetOf(ShownOptions(command)));
  }
}

TEST(BashCompletion, OffersValues) {
  EXPECT_THAT(BashOffers(Line("status --output ''")), ElementsAre("text", "json"));
  EXPECT_THAT(BashOffers(Line("status --output = j")), ElementsAre("json"));
  EXPECT_THAT(BashOffers(Line("top --signal imagefs.i")), ElementsAre("imagefs.inodesFree"));
}

TEST(BashCompletion, OffersFilesWhereTheyAreRead) {
  EXPECT_THAT(BashOffers(Line("run --config ") + Quoted(kScripts + std::string("jettison.b"))),
              ElementsAre(std::string(kScripts) + "jettison.bash"));
}

TEST(FishCompletion, OffersCommandsWithTheirDescription) {
  if (::access("/usr/bin/fish", X_OK) != 0) GTEST_SKIP() << "fish is not installed";
  const TemporaryFolder home;
  const std::string binary(JETTISON_BINARY);
  const std::string folder = binary.substr(0, binary.rfind('/'));
  Program fish({"/usr/bin/fish", "--no-config", "-c",
                "set -x PATH " + Quoted(folder) + " $PATH; source " +
                    Quoted(kScripts + std::string("jettison.fish")) +
                    "; complete --do-complete 'jettison statu'"},
               {"HOME=" + home.path()});
  EXPECT_EQ(fish.Wait(), 0) << fish.output();
  EXPECT_THAT(LinesOf(fish.output()),
              ElementsAre("status\tShow the state of the node: conditions, signals, evictions"));
}

TEST(ZshCompletion, IsReadByZsh) {
  if (::access("/usr/bin/zsh", X_OK) != 0) GTEST_SKIP() << "zsh is not installed";
  Program zsh({"/usr/bin/zsh", "-f", "-n", std::string(kScripts) + "_jettison"}, {});
  EXPECT_EQ(zsh.Wait(), 0) << zsh.output();
}

}  // namespace
}  // namespace jettison
