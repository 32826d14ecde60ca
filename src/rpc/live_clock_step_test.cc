// gRPC while the wall clock is set. The clock is that of a program alone: the test runs itself
// again with a library that moves it (tests/chaos/clock_shim.c).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "kernel/files/files.h"
#include "rpc/client_fixture.h"

namespace jettison::cri {
namespace {

constexpr const char* kClockFile = "CHAOS_CLOCK";

Duration Read(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec);
}

void SetAhead(const std::string& file, std::int64_t seconds) {
  std::array<char, sizeof seconds> bytes;
  std::memcpy(bytes.data(), &seconds, bytes.size());
  ASSERT_TRUE(kernel::WriteFile(file, std::string_view(bytes.data(), bytes.size())));
}

bool Answers(Calls& client) {
  std::optional<Result<api::VersionResponse>> answer;
  client.Version(kLong, [&](auto given) { answer = std::move(given); });
  while (!answer) {
    EXPECT_TRUE(Readable(client.fd(), kLong));
    client.Deliver();
  }
  return answer->has_value();
}

// Until the client has made a new connection after the step, and that has failed, too.
void AwaitFailureOfTheNewConnection(Calls& client) {
  for (int call = 0; call < 3; ++call) EXPECT_FALSE(Answers(client));
}

// In the program whose clock moves.
void ConnectsAfterAStep(const std::string& file) {
  kernel::TemporaryFolder folder;
  const std::string socket = folder.path() + "/runtime.sock";
  const auto ahead = [] { return Read(CLOCK_REALTIME) - Read(CLOCK_BOOTTIME); };
  const auto client = Connect("unix://" + socket, {.wall_clock_ahead = ahead}).value();
  EXPECT_FALSE(Answers(*client));
  SetAhead(file, 0);
  AwaitFailureOfTheNewConnection(*client);
  TestRuntime runtime;
  auto server = Serve(socket, &runtime);
  const auto until = std::chrono::steady_clock::now() + kLong;
  while (!Answers(*client)) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // gRPC's own pace
  }
  ShutDown(server);
}

TEST(LiveClockStep, ARuntimeThatComesBackAfterTheClockWasPutBackIsConnectedTo) {
  if (const char* const file = std::getenv(kClockFile)) return ConnectsAfterAStep(file);
  kernel::TemporaryFolder folder;
  const std::string file = folder.path() + "/ahead";
  SetAhead(file, 400 * 86400);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv(kClockFile, file.c_str(), 1);
    ::setenv("LD_PRELOAD", JETTISON_BINARY_DIR "/chaos/clock.so", 1);
    ::execl("/proc/self/exe", "rpc_test", "--gtest_filter=LiveClockStep.*", nullptr);
    ::_exit(127);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace jettison::cri
