// Servers that do not exist, hang, end, or are not container runtimes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "rpc/client_fixture.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(ClientTest, AHangingCallEndsAtItsDeadlineAndHoldsUpNoOther) {
  StartServer();
  std::optional<Result<api::StartContainerResponse>> answer;
  client_->Make(kStartContainer, {}, milliseconds(300),
                [&](auto given) { answer = std::move(given); });
  EXPECT_TRUE(CallVersion());
  EXPECT_FALSE(answer);
  const auto failed = Await(answer);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error(), (Error{ErrorCode::kDeadlineExceeded,
                                   "StartContainer: no answer on " + socket_ + " within 300ms"}));
}

TEST_F(ClientTest, WhereNobodyListensCallsFailAtOnce) {
  const auto before = std::chrono::steady_clock::now();
  for (int call = 0; call < 3; ++call) {
    const auto failed = CallVersion();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(failed.error().message, StartsWith("Version: no runtime answers on " + socket_));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - before, seconds(5));  // the deadline is 30 s
}

TEST_F(ClientTest, AListenerThatSpeaksAnotherProtocolIsUnavailable) {
  for (const std::string_view greeting :
       {"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
        "\0\0\0\0\0\0\0\0\0\0\0\0", ""}) {
    const std::string path = folder_.path() + "/other.sock";
    const FileDescriptor listener = Listen(path);
    client_ = ConnectTo(path);
    std::optional<Result<api::VersionResponse>> answer;
    client_->Make(kVersion, {}, kLong, [&](auto given) { answer = std::move(given); });
    ASSERT_TRUE(Readable(listener.get(), kLong));
    {
      const FileDescriptor peer(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      ASSERT_EQ(::send(peer.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(greeting.size()));
      ::shutdown(peer.get(), SHUT_WR);
      const auto failed = Await(answer);
      ASSERT_FALSE(failed);
      EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable) << failed.error().message;
      EXPECT_THAT(failed.error().message, HasSubstr(path));
    }
    client_.reset();
    std::filesystem::remove(path);
  }
}

TEST_F(ClientTest, ARestartedServerIsFoundAgain) {
  StartServer();
  ASSERT_TRUE(CallVersion());
  ShutDown(server_);
  const auto gone = CallVersion();
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kUnavailable);

  StartServer();
  const auto before = std::chrono::steady_clock::now();
  bool back = false;
  while (!back && std::chrono::steady_clock::now() - before < seconds(20)) {
    back = CallVersion().has_value();
    if (!back) (void)Readable(client_->fd(), milliseconds(10));
  }
  EXPECT_TRUE(back);
  EXPECT_LT(std::chrono::steady_clock::now() - before, seconds(5));
}

}  // namespace
}  // namespace jettison::cri
