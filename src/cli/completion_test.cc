#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "api/overview/overview.h"
#include "cli/command_bed.h"
#include "cli/simulate/simulate.h"
#include "http/server/testing/test_server.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

using Words = std::vector<std::string>;

// The words that may come next on the program's own command line, ":files" where files may.
Words Next(Words words) {
  words.insert(words.begin(), {"complete", "--"});
  std::istringstream lines(RunCommand(std::move(words)).out);
  Words next;
  for (std::string line; std::getline(lines, line);) {
    next.push_back(line.substr(0, line.find('\t')));
  }
  return next;
}
bool HasFiles(const Words& words) {
  const Words next = Next(words);
  return !next.empty() && next.back() == ":files";
}

// Calls `see` with the name of each command and of each of its options.
void ForEachOption(const std::function<void(const std::string&, const std::string&)>& see) {
  CLI::App app("", "jettison");
  int exit_code = 0;
  AddCommands(app, exit_code);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) see(command->get_name(), name);
    }
  }
}

TEST(Completion, EveryCommandThatIsNotHiddenMayComeFirst) {
  EXPECT_THAT(Next({""}), AllOf(IsSupersetOf({"run", "status", "top", "replay"}),
                                Not(Contains("complete")), Not(Contains("workload"))));
  EXPECT_THAT(Next({"sta"}), ElementsAre("status"));
  EXPECT_THAT(Next({}), Contains("status"));
}

TEST(Completion, EveryOptionOfACommandMayFollowIt) {
  ForEachOption([](const std::string& command, const std::string& name) {
    EXPECT_THAT(Next({command, "--" + name}), Contains("--" + name)) << command;
  });
}

TEST(Completion, ValuesFollowTheirOption) {
  EXPECT_THAT(Next({"status", "--output", ""}), ElementsAre("text", "json"));
  EXPECT_THAT(Next({"status", "--output", "j"}), ElementsAre("json"));
  EXPECT_THAT(Next({"status", "--output=j"}), ElementsAre("--output=json"));
  EXPECT_THAT(Next({"status", "--output", "=", "j"}),
              ElementsAre("json"));  // as bash does
  EXPECT_THAT(Next({"status", "--output", "="}), ElementsAre("text", "json"));
  EXPECT_THAT(Next({"top", "--signal", "pid"}), ElementsAre("pid.available"));
}

TEST(Completion, FilesMayStandWhereTheyAreRead) {
  for (const char* command : {"show", "simulate", "recommend", "inspect", "record", "replay"}) {
    EXPECT_THAT(Next({command, ""}), ElementsAre(":files")) << command;
  }
  for (const Words& words : {Words{"run", "--config", ""}, Words{"check-config", "a.yaml", ""},
                             Words{"import", "--nodefs", ""}, Words{"simulate", "x", "--out="},
                             Words{"doctor", "--config-dir", ""}}) {
    EXPECT_TRUE(HasFiles(words)) << words[0];
  }
  for (const Words& words : {Words{"import", "prometheus", ""}, Words{"status", ""},
                             Words{"status", "--server", ""}, Words{"top", "--interval", ""}}) {
    EXPECT_FALSE(HasFiles(words)) << words[0];
  }
}

TEST(Completion, EveryOptionThatIsNamedForAFileHasFiles) {
  std::size_t seen = 0;
  ForEachOption([&](const std::string& command, const std::string& name) {
    if (name != "file" && !name.ends_with("-file") && !name.ends_with("config")) return;
    ++seen;
    EXPECT_TRUE(HasFiles({command, "--" + name, ""})) << command << " --" << name;
  });
  EXPECT_GT(seen, 10U);
}

TEST(Completion, PodsComeFromTheAgentThatIsAsked) {
  http::TestServer agent;
  ASSERT_TRUE(agent.Start([](const HttpRequest&) {
    OverviewPod pod;
    pod.namespace_ = "default";
    pod.name = "web";
    Overview overview;
    overview.pods = {pod};
    return HttpResponse{.body = OverviewJson(overview)};
  })) << agent.error.message;
  EXPECT_THAT(Next({"explain", "--server", agent.endpoint(), "d"}), ElementsAre("default/web"));
  EXPECT_THAT(Next({"explain", "--server=" + agent.endpoint(), ""}), ElementsAre("default/web"));
  EXPECT_THAT(Next({"explain", "--server", agent.endpoint(), "default/web", ""}), IsEmpty());
  EXPECT_THAT(Next({"explain", "--server", "unix:///nonexistent", ""}), IsEmpty());
}

}  // namespace
}  // namespace jettison
