// gRPC while the wall clock is set. The clock is that of a program alone: the test runs itself
// again with a library that moves it (tests/chaos/clock_shim.c).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>

#include "kernel/files/files.h"
#include "rpc/client_fixture.h"

namespace jettison::cri {
namespace {

constexpr const char* kClockFile = "CHAOS_CLOCK";

void SetAhead(const std::string& file, std::int64_t seconds) {
  std::array<char, sizeof seconds> bytes;
  std::memcpy(bytes.data(), &seconds, bytes.size());
  ASSERT_TRUE(kernel::WriteFile(file, std::string_view(bytes.data(), bytes.size())));
}

bool Answers(Calls& client) {
  std::optional<Result<api::VersionResponse>> answer;
  client.Make(kVersion, {}, kLong, [&](auto given) { answer = std::move(given); });
  while (!answer) {
    EXPECT_TRUE(Readable(client.fd(), kLong));
    client.Deliver();
  }
  return answer->has_value();
}

// In the program whose clock moves.
void ConnectsAfterAStep(const std::string& file) {
  kernel::TemporaryFolder folder;
  const std::string socket = folder.path() + "/runtime.sock";
  const auto client = Connect("unix://" + socket).value();
  EXPECT_FALSE(Answers(*client));
  SetAhead(file, 0);
  EXPECT_FALSE(Answers(*client));
  TestRuntime runtime;
  auto server = Serve(socket, &runtime);
  const auto until = std::chrono::steady_clock::now() + kLong;
  while (!Answers(*client)) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // gRPC's own pace
  }
  // Its deadline passes by a clock that is never set.
  SetAhead(file, -3600);
  std::optional<Result<api::StartContainerResponse>> hanging;
  client->Make(kStartContainer, {}, std::chrono::milliseconds(100),
               [&](auto given) { hanging = std::move(given); });
  SetAhead(file, -7200);
  while (!hanging) {
    ASSERT_TRUE(Readable(client->fd(), kLong));
    client->Deliver();
  }
  EXPECT_EQ(hanging->error().code, ErrorCode::kDeadlineExceeded);
  runtime.gate.Open();
  ShutDown(server);
}

TEST(LiveClockStep, ARuntimeThatComesBackAfterTheClockWasPutBackIsConnectedTo) {
  if (const char* const file = std::getenv(kClockFile)) return ConnectsAfterAStep(file);
  kernel::TemporaryFolder folder;
  const std::string file = folder.path() + "/ahead";
  SetAhead(file, std::int64_t{400} * 86400);
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
