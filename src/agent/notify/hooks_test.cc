#include "agent/notify/hooks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/units/http_url.h"
#include "http/server/listen.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/readiness/pidfd.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr Instant kNow{seconds(1'700'000'000)};

bool WaitFor(int fd, int ms) {
  pollfd waiting = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, ms) == 1;
}

const EvictionOrder kOrder = {.pod_uid = "uid-1",
                              .grace_period_seconds = 1,
                              .message = "The node was low on resource: memory.",
                              .annotations = {{"starved_resource", "memory"}}};

class HookProgram : public testing::Test {
 protected:
  [[nodiscard]] Result<void> Run(const std::string& script, Duration timeout = seconds(60)) const {
    return Run(std::vector<std::string>{"/bin/sh", "-c", script, folder_.path() + "/out"}, timeout);
  }
  [[nodiscard]] Result<void> Run(const std::vector<std::string>& command, Duration timeout) const {
    return RunHookProgram({.command = command, .timeout = timeout, .stop = stop_.get()},
                          "notice\n");
  }
  [[nodiscard]] std::string Out() const {
    std::ostringstream text;
    text << std::ifstream(folder_.path() + "/out").rdbuf();
    return text.str();
  }
  kernel::TemporaryFolder folder_;
  FileDescriptor stop_{eventfd(0, EFD_CLOEXEC)};
};

TEST_F(HookProgram, ReadsTheNoticeFromItsInput) {
  ASSERT_TRUE(Run("cat > \"$0\""));
  EXPECT_EQ(Out(), "notice\n");
}

TEST_F(HookProgram, ThatFailsSaysHow) {
  EXPECT_EQ(Run("exit 7").error().message, "exit status 7");
  EXPECT_EQ(Run("kill -9 $$").error().message, "ended by signal 9");
}

TEST_F(HookProgram, ThatHangsIsKilledWithWhatItStarted) {
  const auto told = Run("sleep 1000 & echo $! > \"$0\"; wait", milliseconds(300));
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, ErrorCode::kDeadlineExceeded);
  std::istringstream pid(Out());
  pid_t child = 0;
  ASSERT_TRUE(pid >> child);
  const FileDescriptor handle = kernel::OpenPidfd(child);
  EXPECT_TRUE(!handle || WaitFor(handle.get(), 30'000)) << "it runs on";
}

TEST_F(HookProgram, IsKilledWhenTheAgentStops) {
  eventfd_write(stop_.get(), 1);
  EXPECT_FALSE(Run("sleep 1000"));
}

TEST_F(HookProgram, ThatIsNotThereIsAnError) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer makes vfork a fork, which cannot report why the exec failed";
#endif
#endif
  const auto told = Run(std::vector<std::string>{"/nowhere/hook"}, seconds(1));
  EXPECT_THAT(told.error().message, StartsWith("start /nowhere/hook: "));
}

TEST_F(HookProgram, LeavesWhatItStartedWhenItEndsByItself) {
  ASSERT_TRUE(Run("sleep 1000 & echo $! > \"$0\""));
  std::istringstream pid(Out());
  pid_t child = 0;
  ASSERT_TRUE(pid >> child);
  const FileDescriptor handle = kernel::OpenPidfd(child);
  ASSERT_TRUE(handle);
  EXPECT_TRUE(Run("true"));
  EXPECT_FALSE(WaitFor(handle.get(), 0));
  kernel::SendSignal(handle, SIGKILL);
}

// A pipe to which a hook's program writes.
class ReportedPids {
 public:
  explicit ReportedPids(const std::string& path) {
    mkfifo(path.c_str(), 0600);
    fifo_ = FileDescriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
  }
  // The numbers of one line.
  [[nodiscard]] std::vector<pid_t> Read() const {
    std::string line(64, '\0');
    if (!WaitFor(fifo_.get(), 30'000)) return {};
    line.resize(static_cast<std::size_t>(read(fifo_.get(), line.data(), line.size())));
    std::istringstream text(line);
    return {std::istream_iterator<pid_t>(text), {}};
  }

 private:
  FileDescriptor fifo_;
};

HookConfig HookThatSaysItsPids(const std::string& fifo) {
  return {.name = "slow",
          .when = {Occasion::kBeforeEviction},
          .exec = {"/bin/sh", "-c", "sleep 1000 & echo $$ $! > \"$0\"; wait", fifo},
          .timeout = seconds(1000)};
}

std::vector<FileDescriptor> HandlesOf(const std::vector<pid_t>& pids) {
  std::vector<FileDescriptor> handles;
  for (const pid_t pid : pids) handles.push_back(kernel::OpenPidfd(pid));
  return handles;
}

void ExpectEnd(const std::vector<FileDescriptor>& handles) {
  for (const FileDescriptor& handle : handles) {
    EXPECT_TRUE(handle && WaitFor(handle.get(), 30'000)) << "it runs on";
    if (handle) kernel::SendSignal(handle, SIGKILL);
  }
}

std::string NameOfDb(std::string_view) {
  return "default/db";
}

TEST_F(HookProgram, IsKilledWhenTheAgentIsKilled) {
  const std::string path = folder_.path() + "/pids";
  const ReportedPids told(path);
  ChildProcess agent([&](const auto&) {
    Hooks hooks({HookThatSaysItsPids(path)}, "node-1", false, NameOfDb);
    hooks.Evicting(kOrder, EvictOutcome::kEnding, kNow);
    SleepForever();
  });
  agent.Start();
  auto handles = HandlesOf(told.Read());
  ASSERT_EQ(handles.size(), 2U);
  kill(agent.pid(), SIGKILL);
  kernel::SendSignal(handles.back(), SIGKILL);  // what it started
  ExpectEnd(handles);
}

TEST_F(HookProgram, IsKilledWithWhatItStartedWhenTheAgentEnds) {
  const std::string path = folder_.path() + "/pids";
  const ReportedPids told(path);
  std::vector<FileDescriptor> handles;
  {
    Hooks hooks({HookThatSaysItsPids(path)}, "node-1", false, NameOfDb);
    hooks.Evicting(kOrder, EvictOutcome::kEnding, kNow);
    handles = HandlesOf(told.Read());
  }
  ASSERT_EQ(handles.size(), 2U);
  ExpectEnd(handles);
}

// An address that takes connections and does not answer.
class SilentAddress {
 public:
  [[nodiscard]] HookConfig Hook() const {
    return {.name = "post",
            .when = {Occasion::kBeforeEviction},
            .url = fmt::format("http://127.0.0.1:{}/", http::PortOf(*listening_)),
            .timeout = seconds(30)};
  }
  // The connection of a notice that is being delivered; invalid: there is none.
  [[nodiscard]] FileDescriptor Accept(int ms = 20'000) const {
    if (!WaitFor(listening_->get(), ms)) return {};
    return FileDescriptor(accept(listening_->get(), nullptr, nullptr));
  }

 private:
  Result<FileDescriptor> listening_ = http::ListenOn(*ParseTcpAddress("127.0.0.1:0"));
};

class HooksTest : public testing::Test {
 protected:
  HookConfig Append(std::vector<Occasion> when) const {
    return {.name = "append",
            .when = std::move(when),
            .exec = {"/bin/sh", "-c", "cat >> \"$0\"; echo >> \"$0\"; exit 3",
                     folder_.path() + "/out"}};
  }
  // Each call ends with a failure, so its failure says that it is over.
  std::vector<nlohmann::json> Told(Hooks& hooks, int calls) {
    for (int i = 0; i < calls; ++i) {
      EXPECT_TRUE(WaitFor(hooks.fd(), 30'000));
      hooks.LogFailures(log_);
    }
    std::vector<nlohmann::json> notices;
    std::ifstream file(folder_.path() + "/out");
    for (std::string line; std::getline(file, line);) {
      notices.push_back(nlohmann::json::parse(line));
    }
    return notices;
  }

  kernel::TemporaryFolder folder_;
  FakeClock clock_;
  std::string logged_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { logged_ += line; }};
};

TEST_F(HooksTest, AreToldWhatAConditionHasBecome) {
  Hooks hooks(std::vector{Append({Occasion::kConditionChange})}, "node-1", true, NameOfDb);
  NodeConditions pressure;
  pressure.Set(NodeConditionType::kMemoryPressure);
  hooks.ConditionsChanged({}, pressure, kNow);
  const auto told = Told(hooks, 1);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0]["type"], "ConditionChange");
  EXPECT_EQ(told[0]["time"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(told[0]["dryRun"], true);
  EXPECT_EQ(told[0]["condition"]["type"], "MemoryPressure");
  EXPECT_EQ(told[0]["condition"]["reason"], "KubeletHasInsufficientMemory");
}

TEST_F(HooksTest, AreToldOfWhatTheyAskedForAlone) {
  Hooks hooks(std::vector{Append({Occasion::kBeforeEviction})}, "node-1", false, NameOfDb);
  NodeConditions pressure;
  pressure.Set(NodeConditionType::kMemoryPressure);
  hooks.ConditionsChanged({}, pressure, kNow);
  hooks.Evicting(kOrder, EvictOutcome::kEnding, kNow);
  hooks.CleanedUp(true, kNow);
  const auto told = Told(hooks, 1);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0]["type"], "BeforeEviction");
  EXPECT_EQ(told[0]["pod"],
            (nlohmann::json{{"namespace", "default"}, {"name", "db"}, {"uid", "uid-1"}}));
  EXPECT_EQ(told[0]["eviction"]["annotations"]["starved_resource"], "memory");
  EXPECT_THAT(logged_, HasSubstr("hook call failed"));
  EXPECT_THAT(logged_, HasSubstr("hook=append err=\"exit status 3\""));
}

TEST_F(HooksTest, SayThatAnEvictedPodIsGoneOnce) {
  Hooks hooks(std::vector{Append({Occasion::kAfterEviction})}, "node-1", false, NameOfDb);
  hooks.Evicting(kOrder, EvictOutcome::kEnding, kNow);
  hooks.CleanedUp(true, kNow);
  hooks.CleanedUp(true, kNow);
  const auto told = Told(hooks, 1);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0]["cleanedUp"], true);
}

// Receives one request and answers it with `answer`.
std::string RequestTo(const FileDescriptor& listening, std::string_view answer) {
  if (!WaitFor(listening.get(), 30'000)) return "nobody asked";
  const FileDescriptor connection(accept(listening.get(), nullptr, nullptr));
  std::string request;
  while (request.find("\r\n\r\n") == std::string::npos) {
    std::array<char, 4096> part{};
    const ssize_t size = read(connection.get(), part.data(), part.size());
    if (size <= 0) break;
    request.append(part.data(), static_cast<std::size_t>(size));
  }
  EXPECT_EQ(write(connection.get(), answer.data(), answer.size()),
            static_cast<ssize_t>(answer.size()));
  return request;
}

TEST_F(HooksTest, AUserAndAPasswordOfAUrlAreSentAndNotTold) {
  const auto listening = http::ListenOn(*ParseTcpAddress("127.0.0.1:0"));
  ASSERT_TRUE(listening);
  const int port = http::PortOf(*listening);
  Hooks hooks(std::vector{HookConfig{
                  .name = "post",
                  .when = {Occasion::kBeforeEviction},
                  .url = fmt::format("http://Aladdin:open%20sesame@127.0.0.1:{}/told", port)}},
              "node-1", false, NameOfDb);
  hooks.Evicting(kOrder, EvictOutcome::kEnding, kNow);
  const std::string request =
      RequestTo(*listening, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
  EXPECT_THAT(request, StartsWith("POST /told HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr(fmt::format("Host: 127.0.0.1:{}\r\n", port)));
  EXPECT_THAT(request, HasSubstr("Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"));
  ASSERT_TRUE(WaitFor(hooks.fd(), 30'000));
  hooks.LogFailures(log_);
  EXPECT_THAT(logged_, AllOf(HasSubstr("403"), Not(HasSubstr("sesame"))));
}

TEST_F(HooksTest, ThatGetNoAnswerHoldUpTheEndBrieflyAndOnce) {
  const SilentAddress silent;
  FileDescriptor connection;
  std::chrono::steady_clock::time_point end_began;
  {
    const std::vector<HookConfig> forty(40, silent.Hook());
    Hooks hooks(forty, "node-1", false, NameOfDb);
    hooks.Evicting(kOrder, EvictOutcome::kEnding, kNow);
    connection = silent.Accept();
    ASSERT_TRUE(connection);
    end_began = std::chrono::steady_clock::now();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - end_began, seconds(10))
      << "one hangs for 30 s, the others wait for it, and all of them may hold it up for 0.5 s";
}

TEST_F(HooksTest, ThatAreCalledTooOftenMissSome) {
  HookConfig slow = Append({Occasion::kBeforeEviction});
  slow.min_interval = std::chrono::hours(1);
  Hooks hooks(std::vector{slow}, "node-1", false, NameOfDb);
  for (int i = 0; i < 11; ++i) hooks.Evicting(kOrder, EvictOutcome::kEnding, kNow);
  for (int i = 0; i < 300 && logged_.find("too often") == std::string::npos; ++i) {
    ASSERT_TRUE(WaitFor(hooks.fd(), 30'000));
    hooks.LogFailures(log_);
  }
  EXPECT_THAT(logged_, HasSubstr("the hook is called too often, so a notice was dropped"));
}

}  // namespace
}  // namespace jettison
