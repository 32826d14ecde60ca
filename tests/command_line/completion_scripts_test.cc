// Completion as the shells themselves do it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "tests/command_line/help.h"
#include "tests/live/program.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAreArray;

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
  Program bash({"/bin/bash", "--norc", "-c", script}, {});
  EXPECT_EQ(bash.Wait(), 0) << bash.output();
  return LinesOf(bash.output());
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
