#include "cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.h"
#include "cli/simulate/candidates.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

// The words that may come next on the program's own command line.
struct Program {
  CLI::App app{"", "jettison"};
  int exit_code = 0;
  Program() { AddCommands(app, exit_code); }
  [[nodiscard]] Completions Next(const Words& words) const {
    return CompletionsOf(app, words, [](const std::optional<std::string>& server) {
      return std::vector<Completion>{{server.value_or("default/web"), "running"}};
    });
  }
  [[nodiscard]] Words Texts(const Words& words) const {
    Words texts;
    for (const Completion& word : Next(words).words) texts.push_back(word.text);
    return texts;
  }
};

TEST(Completion, EveryCommandThatIsNotHiddenMayComeFirst) {
  const Program program;
  EXPECT_THAT(program.Texts({""}), AllOf(IsSupersetOf({"run", "status", "top", "replay"}),
                                         Not(Contains("complete")), Not(Contains("workload"))));
  EXPECT_THAT(program.Texts({"sta"}), ElementsAre("status"));
  EXPECT_THAT(program.Texts({}), Contains("status"));
}

TEST(Completion, EveryOptionOfACommandMayFollowIt) {
  const Program program;
  for (const CLI::App* command :
       program.app.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        EXPECT_THAT(program.Texts({command->get_name(), "--"}), Contains("--" + name))
            << command->get_name();
      }
    }
  }
}

TEST(Completion, ValuesFollowTheirOption) {
  const Program program;
  EXPECT_THAT(program.Texts({"status", "--output", ""}), ElementsAre("text", "json"));
  EXPECT_THAT(program.Texts({"status", "--output", "j"}), ElementsAre("json"));
  EXPECT_THAT(program.Texts({"status", "--output=j"}), ElementsAre("--output=json"));
  EXPECT_THAT(program.Texts({"status", "--output", "=", "j"}),
              ElementsAre("json"));  // as bash does
  EXPECT_THAT(program.Texts({"status", "--output", "="}), ElementsAre("text", "json"));
  EXPECT_THAT(program.Texts({"top", "--signal", "pid"}), ElementsAre("pid.available"));
}

TEST(Completion, ASweepBeginsWithOneOfItsKeys) {
  const Program program;
  for (const char* command : {"simulate", "recommend"}) {
    EXPECT_THAT(program.Texts({command, "r.jtr", "--sweep", "evictionHard.m"}),
                ElementsAre("evictionHard.memory.available="));
  }
  EXPECT_THAT(program.Texts({"simulate", "--sweep=evictionMax"}),
              ElementsAre("--sweep=evictionMaxPodGracePeriod="));
  EXPECT_THAT(
      program.Texts({"simulate", "--sweep", ""}),
      IsSupersetOf({"evictionSoft.nodefs.inodesFree=", "evictionMinimumReclaim.pid.available=",
                    "evictionPressureTransitionPeriod="}));
  // As bash parts it. Its values are not known, and no file.
  for (const Words& value : {Words{"="}, Words{"=", ""}, Words{"=", "5"}}) {
    Words words = {"simulate", "--sweep", "evictionHard.memory.available"};
    words.insert(words.end(), value.begin(), value.end());
    EXPECT_THAT(program.Texts(words), IsEmpty());
    EXPECT_FALSE(program.Next(words).files);
  }
  EXPECT_TRUE(
      program.Next({"simulate", "--sweep", "evictionHard.memory.available", "=", "5Mi", ""}).files);
}

TEST(Sweep, EveryKeyThatIsCompletedIsOneThatIsTaken) {
  for (const std::string& key : SweepKeys()) EXPECT_TRUE(ParseSweep(key + "=1")) << key;
}

TEST(Completion, AnOptionThatHasItsValueAwaitsNoOther) {
  const Program program;
  EXPECT_THAT(program.Texts({"status", "--output", "json", "--exit"}), ElementsAre("--exit-code"));
  EXPECT_THAT(program.Texts({"status", "--exit-code", "--out"}), ElementsAre("--output"));
}

TEST(Completion, FilesMayStandWhereTheyAreRead) {
  const Program program;
  EXPECT_TRUE(program.Next({"run", "--config", ""}).files);
  EXPECT_TRUE(program.Next({"check-config", ""}).files);
  EXPECT_TRUE(program.Next({"check-config", "a.yaml", ""}).files);
  for (const char* command : {"show", "simulate", "recommend", "inspect", "record", "replay"}) {
    EXPECT_TRUE(program.Next({command, ""}).files) << command;
    EXPECT_THAT(program.Texts({command, ""}), IsEmpty()) << command;
  }
  EXPECT_TRUE(program.Next({"import", "prometheus", ""}).files);
  EXPECT_TRUE(program.Next({"import", "--nodefs", ""}).files);
  EXPECT_TRUE(program.Next({"simulate", "x", "--out", ""}).files);
  EXPECT_TRUE(program.Next({"simulate", "x", "--out="}).files);
  EXPECT_TRUE(program.Next({"doctor", "--kubeconfig", ""}).files);
  EXPECT_TRUE(program.Next({"doctor", "--config-dir", ""}).files);
  EXPECT_FALSE(program.Next({"status", ""}).files);
  EXPECT_FALSE(program.Next({"status", "--server", ""}).files);
  EXPECT_FALSE(program.Next({"explain", ""}).files);
  EXPECT_FALSE(program.Next({"top", "--interval", ""}).files);
}

TEST(Completion, EveryOptionThatIsNamedForAFileHasFiles) {
  const Program program;
  std::size_t seen = 0;
  for (const CLI::App* command :
       program.app.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        if (name != "file" && !name.ends_with("-file") && !name.ends_with("config")) continue;
        ++seen;
        EXPECT_TRUE(program.Next({command->get_name(), "--" + name, ""}).files)
            << command->get_name() << " --" << name;
      }
    }
  }
  EXPECT_GT(seen, 10U);
}

TEST(Completion, PodsComeFromTheAgentThatIsAsked) {
  CLI::App app{"", "jettison"};
  CLI::App* command = app.add_subcommand("explain");
  std::string pod;
  std::string server;
  command->add_option("TARGET", pod)->type_name("POD|EVICTION");
  command->add_option("--server", server);
  const auto pods = [](const std::optional<std::string>& at) {
    return std::vector<Completion>{{"pod-of-" + at.value_or("here"), ""}};
  };
  EXPECT_EQ(CompletionsOf(app, {"explain", ""}, pods).words.at(0).text, "pod-of-here");
  EXPECT_EQ(CompletionsOf(app, {"explain", "--server", "x", "p"}, pods).words.at(0).text,
            "pod-of-x");
  EXPECT_EQ(CompletionsOf(app, {"explain", "--server=y", ""}, pods).words.at(0).text, "pod-of-y");
  EXPECT_THAT(CompletionsOf(app, {"explain", "default/web", ""}, pods).words, IsEmpty());
}

TEST(Completion, NonsenseHasNoContinuation) {
  const Program program;
  EXPECT_THAT(program.Texts({"status", "--no-such", ""}), IsEmpty());
  EXPECT_THAT(program.Texts({"nothing", "here", ""}), Contains("status"));
  EXPECT_THAT(program.Texts({"status", "--no-such=x"}), IsEmpty());
}

}  // namespace
}  // namespace jettison
