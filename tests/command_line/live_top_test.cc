// `jettison status` and `jettison top` as somebody at a terminal has them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/overview/overview.h"
#include "cli/top/overview_test_values.h"
#include "http/server/testing/test_server.h"
#include "tests/command_line/terminal.h"
#include "tests/live/program.h"

namespace jettison {
namespace {

using overview_test::UnderPressure;
using ::testing::HasSubstr;

// Answers in place of an agent.
class FakeAgent {
 public:
  explicit FakeAgent(Overview overview) : overview_(std::move(overview)) {
    EXPECT_TRUE(server_.emplace().Start([this](const HttpRequest& request) -> HttpResponse {
      const std::lock_guard lock(mutex_);
      if (request.path == "/readyz") return readyz_;
      return {.body = OverviewJson(overview_)};
    }));
  }

  // What is answered from now on.
  void Show(Overview overview) {
    const std::lock_guard lock(mutex_);
    overview_ = std::move(overview);
  }
  void AnswerReadyz(HttpResponse answer) {
    const std::lock_guard lock(mutex_);
    readyz_ = std::move(answer);
  }
  // From now on nobody answers.
  void Stop() { server_.reset(); }
  // For --server.
  [[nodiscard]] std::string server() const { return server_->endpoint(); }

 private:
  std::mutex mutex_;
  Overview overview_;    // guarded by mutex_
  HttpResponse readyz_;  // guarded by mutex_
  std::optional<http::TestServer> server_;
};

constexpr const char* kCtrlC = "\x03";
const std::vector<std::string> kUtf8 = {"TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR="};

std::vector<std::string> Top(const FakeAgent& agent) {
  return {JETTISON_BINARY, "top", "--server", agent.server(), "--interval", "0.1"};
}

TEST(LiveStatus, AFileOrAPipeHasTheWholeMessageOfAnEviction) {
  Overview overview = UnderPressure();
  std::string& message = overview.events.front().message;
  while (message.size() < 500) message += "Container main was using 112Mi, request is 0. ";
  message += "The end.";
  const FakeAgent agent(overview);
  Program program({JETTISON_BINARY, "status", "--server", agent.server()}, {});
  EXPECT_EQ(program.Wait(), 0);
  EXPECT_THAT(program.output(), HasSubstr(" ago  Evicted default/leaker: " + message + "\n"));
}

TEST(LiveTop, FollowsTheAgentAndSaysWhenItDoesNotAnswer) {
  FakeAgent agent(UnderPressure(2));
  Terminal terminal(Top(agent), kUtf8, 80, 24);
  ASSERT_TRUE(terminal.WaitFor("MemoryPressure"));
  Overview calm = UnderPressure(2);
  for (OverviewCondition& condition : calm.conditions) condition.status = false;
  agent.Show(calm);
  EXPECT_TRUE(terminal.WaitFor("no pressure"));
  agent.Stop();
  EXPECT_TRUE(terminal.WaitFor("as of 12:00:00: ")) << terminal.output();
  terminal.Type(kCtrlC);
  EXPECT_EQ(terminal.Wait(), 0);
}

TEST(LiveTop, EverySignalEndsItWithoutAnError) {
  FakeAgent agent(UnderPressure());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Terminal terminal(Top(agent), kUtf8, 80, 24);
    ASSERT_TRUE(terminal.WaitFor("jettison top"));
    terminal.Signal(signal);
    EXPECT_EQ(terminal.Wait(), 0);
  }
}

TEST(LiveTop, WithoutATerminalItPrintsThePageAgain) {
  FakeAgent agent(UnderPressure());
  Program program(
      {JETTISON_BINARY, "top", "--server", agent.server(), "--interval", "0.1", "--count", "2"},
      {});
  EXPECT_EQ(program.Wait(), 0);
  const std::string page = "jettison top  12:00:00\nedge-7  MemoryPressure for 3.0 s";
  EXPECT_TRUE(program.output().starts_with(page)) << program.output();
  EXPECT_NE(program.output().rfind(page), 0U);
  EXPECT_EQ(program.output().find('\x1b'), std::string::npos);
}

int StatusOf(const std::vector<std::string>& more, std::string& output,
             const std::string& command = "status") {
  std::vector<std::string> arguments = {JETTISON_BINARY, command};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Program program(arguments, {});
  const int status = program.Wait();
  output = program.output();
  return status;
}

TEST(LiveStatus, ExitStatusSaysWhatIsTheMatter) {
  FakeAgent agent(UnderPressure());
  std::string output;
  EXPECT_EQ(StatusOf({"--server", agent.server()}, output), 0);
  EXPECT_THAT(output, HasSubstr("edge-7  MemoryPressure"));
  EXPECT_EQ(StatusOf({"--server", agent.server(), "--exit-code", "--output", "json"}, output), 3);
  EXPECT_THAT(output, HasSubstr("\"node\":\"edge-7\""));
  for (const char* command : {"status", "top"}) {
    EXPECT_EQ(StatusOf({"--server", "unix:///nonexistent/agent.sock"}, output, command), 1);
    EXPECT_THAT(output, HasSubstr("jettison: "));
  }
  EXPECT_EQ(StatusOf({"--output", "xml"}, output), 2);
}

TEST(LiveStatus, ReadyIsWhatReadyzSays) {
  FakeAgent agent(UnderPressure());
  std::string output;
  agent.AnswerReadyz({.status = 200, .body = "[+]loop ok\nreadyz check passed\n"});
  EXPECT_EQ(StatusOf({"--ready", "--server", agent.server()}, output), 0) << output;
  agent.AnswerReadyz(
      {.status = 500, .body = "[+]loop ok\n[-]cluster failed: pods cannot be listed\n"});
  EXPECT_EQ(StatusOf({"--ready", "--server", agent.server()}, output), 1);
  EXPECT_THAT(
      output,
      HasSubstr("the agent is not ready:\n[+]loop ok\n[-]cluster failed: pods cannot be listed\n"));
  agent.AnswerReadyz({.status = 404, .body = "no such page"});
  EXPECT_EQ(StatusOf({"--ready", "--server", agent.server()}, output), 1);
  EXPECT_EQ(StatusOf({"--ready", "--server", "unix:///nonexistent/agent.sock"}, output), 1);
  EXPECT_EQ(StatusOf({"--ready", "--exit-code"}, output), 2);
}

}  // namespace
}  // namespace jettison
