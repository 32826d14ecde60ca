#include "rpc/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rpc/client_fixture.h"
#include "runtimes/cri/images/image_store.h"

namespace jettison::cri {
namespace {

using testing::StartsWith;

TEST_F(ClientTest, RequestAndResponseTravel) {
  StartServer();
  api::RunPodSandboxRequest request;
  request.mutable_config()->mutable_metadata()->set_name("web");
  request.mutable_config()->mutable_linux()->set_cgroup_parent("/kubepods/pod1");
  std::optional<Result<api::RunPodSandboxResponse>> answer;
  client_->Make(kRunPodSandbox, request, kLong, [&](auto given) { answer = std::move(given); });
  EXPECT_EQ(Await(answer).value().pod_sandbox_id(), "web in /kubepods/pod1");
  EXPECT_EQ(CallVersion().value().runtime_name(), "test");
}

TEST_F(ClientTest, WithoutThreadsForTheConnectionCallsFailAndItIsMadeLater) {
  StartServer();
  bool there = false;
  std::size_t asked = 0;
  int times = 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto ask = [&](std::size_t count) {
    asked = count;
    ++times;
    return there;
  };
  client_ = Connect("unix://" + socket_, {.threads_can_be_had = ask}).value();
  const auto refused = CallVersion();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, StartsWith("Version: no threads can be started"));
  EXPECT_GT(asked, 4U);
  there = true;
  auto answer = CallVersion();
  while (!answer && std::chrono::steady_clock::now() - begin < kLong) answer = CallVersion();
  EXPECT_EQ(answer.value().runtime_name(), "test");
  EXPECT_LE(times, 1 + (std::chrono::steady_clock::now() - begin) / std::chrono::seconds(1))
      << "it is tried once a second";
}

// gRPC aborts where it cannot have an eventfd when it starts, which it does anew after a clock was
// set.
TEST_F(ClientTest, WithoutDescriptorsForTheConnectionCallsFailAndItIsMadeLater) {
  StartServer();
  client_ = Connect("unix://" + socket_, {}).value();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::dup(STDERR_FILENO);
  ::close(next);
  const rlimit few{.rlim_cur = static_cast<rlim_t>(next) + 2, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto refused = CallVersion();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, StartsWith("Version: no descriptors can be had"));
  const auto begin = std::chrono::steady_clock::now();
  auto answer = CallVersion();
  while (!answer && std::chrono::steady_clock::now() - begin < kLong) answer = CallVersion();
  EXPECT_EQ(answer.value().runtime_name(), "test");
}

// Where the wall clock was put back its deadline would not pass.
TEST_F(ClientTest, ACallThatGrpcDoesNotEndAtItsDeadlineIsCancelled) {
  StartServer();
  client_ = Connect("unix://" + socket_, {.overdue_after = -kLong}).value();
  std::optional<Result<api::StartContainerResponse>> forgotten;
  client_->Make(kStartContainer, {}, kLong, [&](auto given) { forgotten = std::move(given); });
  EXPECT_TRUE(Readable(client_->fd(), kLong));
  client_->Deliver();
  EXPECT_EQ(Await(forgotten).error().code, ErrorCode::kDeadlineExceeded);
  runtime_.gate.Open();
}

TEST_F(ClientTest, AFailureNamesTheCallAndKeepsTheRuntimesWords) {
  StartServer();
  api::StopContainerRequest request;
  request.set_container_id("c1");
  std::optional<Result<api::StopContainerResponse>> answer;
  client_->Make(kStopContainer, request, kLong, [&](auto given) { answer = std::move(given); });
  const auto failed = Await(answer);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error(), (Error{ErrorCode::kNotFound, "StopContainer: no container c1"}));
}

TEST_F(ClientTest, DestructionEndsCallsUnderWayAndDropsTheirAnswers) {
  StartServer();
  const auto answered = std::make_shared<int>(0);
  for (int call = 0; call < 3; ++call) {
    client_->Make(kStartContainer, {}, kLong, [answered](const auto&) { ++*answered; });
  }
  runtime_.gate.AwaitArrivals(1);
  client_.reset();
  EXPECT_EQ(*answered, 0);
  EXPECT_EQ(answered.use_count(), 1);
}

TEST_F(ClientTest, AnswersOfUpTo16MiBArePassedOn) {
  StartServer();
  const auto output = [&](std::int64_t bytes) {
    api::ExecSyncRequest request;
    request.set_timeout(bytes);
    std::optional<Result<api::ExecSyncResponse>> answer;
    client_->Make(kExecSync, request, kLong, [&](auto given) { answer = std::move(given); });
    return Await(answer);
  };
  EXPECT_EQ(output(15 << 20).value().stdout().size(), std::size_t{15} << 20);
  const auto failed = output(17 << 20);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kInternal);
  EXPECT_THAT(failed.error().message, StartsWith("ExecSync: Received message larger than max"));
}

TEST(Connect, RefusesOtherEndpoints) {
  const auto refused = Connect("tcp://127.0.0.1:1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace jettison::cri
