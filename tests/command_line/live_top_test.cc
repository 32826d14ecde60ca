// `jettison status` and `jettison top` as somebody at a terminal has them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "api/overview/overview.h"
#include "cli/top/overview_test_values.h"
#include "http/server/server.h"
#include "tests/command_line/terminal.h"
#include "tests/live/program.h"

namespace jettison {
namespace {

using overview_test::UnderPressure;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Answers in place of an agent, on its own socket, for as long as this object lives.
class FakeAgent {
 public:
  explicit FakeAgent(Overview overview) : overview_(std::move(overview)) {
    server_ = std::make_unique<HttpServer>(
        HttpConfig{.socket = socket_},
        [this](const HttpRequest& request) { return Answer(request); },
        [](int status, std::string_view message) {
          return HttpResponse{.status = status, .body = std::string(message)};
        });
    EXPECT_TRUE(server_->Listen());
    thread_ = std::thread([this] { server_->Serve(); });
  }
  FakeAgent(const FakeAgent&) = delete;
  FakeAgent& operator=(const FakeAgent&) = delete;
  ~FakeAgent() { Stop(); }

  // What is answered from now on; its pods are said to be ranked for whatever is asked.
  void Show(Overview overview) {
    const std::lock_guard lock(mutex_);
    overview_ = std::move(overview);
  }
  // What /readyz answers from now on.
  void AnswerReadyz(HttpResponse answer) {
    const std::lock_guard lock(mutex_);
    readyz_ = std::move(answer);
  }
  // From now on nobody answers.
  void Stop() {
    if (!server_) return;
    server_->Stop();
    thread_.join();
    server_.reset();
  }
  // For --server.
  [[nodiscard]] std::string server() const { return "unix://" + socket_; }

 private:
  [[nodiscard]] HttpResponse Answer(const HttpRequest& request) {
    const std::lock_guard lock(mutex_);
    if (request.path == "/readyz") return readyz_;
    if (request.path != "/api/v1/overview") return {.status = 404, .body = "no such page"};
    Overview overview = overview_;
    const auto signal = request.query.find("signal");
    if (signal != request.query.end()) {
      overview.ranked_for = EnumeratorNamed<Signal>(signal->second).value_or(overview.ranked_for);
    }
    return {.body = OverviewJson(overview)};
  }

  TemporaryFolder folder_;
  std::string socket_ = folder_.path() + "/agent.sock";
  std::mutex mutex_;
  Overview overview_;    // guarded by mutex_
  HttpResponse readyz_;  // guarded by mutex_
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
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

TEST(LiveTop, WithoutAnAgentItSaysSoAndEnds) {
  Program program({JETTISON_BINARY, "top", "--server", "unix:///nonexistent/agent.sock"}, {});
  EXPECT_EQ(program.Wait(), 1);
  EXPECT_THAT(program.output(), HasSubstr("jettison: "));
}

int StatusOf(const std::vector<std::string>& more, std::string& output) {
  std::vector<std::string> arguments = {JETTISON_BINARY, "status"};
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
  EXPECT_EQ(StatusOf({"--server", "unix:///nonexistent/agent.sock"}, output), 1);
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
