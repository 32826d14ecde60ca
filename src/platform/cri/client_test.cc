#include "platform/cri/client.h"

#include <cri.grpc.pb.h>
#include <gmock/gmock.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "platform/cri/endpoint.h"
#include "pod_host/temporary_folder.h"
#include "ports/file_descriptor.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Duration kLong = seconds(30);  // for what is answered anyway

// Closed until opened; a call of the server waits in it.
class Gate {
 public:
  void Pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void AwaitArrivals(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLong, [&] { return arrived_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  bool open_ = false;
};

// A runtime with a few answers: StopContainer fails, StartContainer hangs until the gate opens.
class TestRuntime : public api::RuntimeService::Service {
 public:
  grpc::Status Version(grpc::ServerContext*, const api::VersionRequest* request,
                       api::VersionResponse* response) override {
    response->set_version(request->version());
    response->set_runtime_name("test");
    return grpc::Status::OK;
  }
  grpc::Status RunPodSandbox(grpc::ServerContext*, const api::RunPodSandboxRequest* request,
                             api::RunPodSandboxResponse* response) override {
    response->set_pod_sandbox_id(request->config().metadata().name() + " in " +
                                 request->config().linux().cgroup_parent());
    return grpc::Status::OK;
  }
  grpc::Status StopContainer(grpc::ServerContext*, const api::StopContainerRequest* request,
                             api::StopContainerResponse*) override {
    return {grpc::NOT_FOUND, "no container " + request->container_id()};
  }
  grpc::Status StartContainer(grpc::ServerContext*, const api::StartContainerRequest*,
                              api::StartContainerResponse*) override {
    gate.Pass();
    return grpc::Status::OK;
  }
  // As many bytes of output as the timeout says.
  grpc::Status ExecSync(grpc::ServerContext*, const api::ExecSyncRequest* request,
                        api::ExecSyncResponse* response) override {
    response->set_stdout(std::string(static_cast<std::size_t>(request->timeout()), 'x'));
    return grpc::Status::OK;
  }

  Gate gate;
};

// Refuses every call with the path of its method.
class NamesMethods : public grpc::CallbackGenericService {
  class Refusal : public grpc::ServerGenericBidiReactor {
   public:
    explicit Refusal(const std::string& method) { Finish({grpc::UNKNOWN, method}); }
    void OnDone() override { delete this; }
  };
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Refusal(context->method());
  }
};

std::unique_ptr<grpc::Server> Serve(const std::string& socket, grpc::Service* service,
                                    grpc::CallbackGenericService* generic = nullptr) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(TargetOf(socket), grpc::InsecureServerCredentials());
  builder.SetMaxReceiveMessageSize(-1);
  if (service != nullptr) builder.RegisterService(service);
  if (generic != nullptr) builder.RegisterCallbackGenericService(generic);
  return builder.BuildAndStart();
}

void ShutDown(std::unique_ptr<grpc::Server>& server) {
  server->Shutdown(std::chrono::system_clock::now());
  server.reset();
}

// A listening socket on which no gRPC is spoken.
FileDescriptor Listen(const std::string& path) {
  FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(static_cast<char*>(address.sun_path), path.c_str(), path.size() + 1);
  EXPECT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(listener.get(), 16), 0);
  return listener;
}

bool Readable(int fd, Duration within) {
  pollfd waited{.fd = fd, .events = POLLIN, .revents = 0};
  const auto span = std::chrono::duration_cast<milliseconds>(within).count();
  return ::poll(&waited, 1, static_cast<int>(span)) == 1;
}

class ClientTest : public ::testing::Test {
 protected:
  ClientTest() : socket_(folder_.path() + "/c.sock") { client_ = ConnectTo(socket_); }
  ~ClientTest() override {
    runtime_.gate.Open();
    client_.reset();
    if (server_) ShutDown(server_);
  }
  static std::unique_ptr<Calls> ConnectTo(const std::string& socket) {
    return Connect("unix://" + socket).value();
  }
  void StartServer() { server_ = Serve(socket_, &runtime_); }

  // Delivers until the answer is there.
  template <typename Response>
  Result<Response> Await(const std::optional<Result<Response>>& answer) {
    while (!answer) {
      if (!Readable(client_->fd(), kLong)) return Fail(ErrorCode::kInternal, "no answer came");
      client_->Deliver();
    }
    return *answer;
  }
  Result<api::VersionResponse> CallVersion(Duration deadline = kLong) {
    std::optional<Result<api::VersionResponse>> answer;
    client_->Version(deadline, [&](auto given) { answer = std::move(given); });
    return Await(answer);
  }

  pod_host::TemporaryFolder folder_;
  std::string socket_;
  TestRuntime runtime_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Calls> client_;
};

TEST_F(ClientTest, RequestAndResponseTravel) {
  StartServer();
  api::RunPodSandboxRequest request;
  request.mutable_config()->mutable_metadata()->set_name("web");
  request.mutable_config()->mutable_linux()->set_cgroup_parent("/kubepods/pod1");
  std::optional<Result<api::RunPodSandboxResponse>> answer;
  client_->RunPodSandbox(request, kLong, [&](auto given) { answer = std::move(given); });
  EXPECT_EQ(Await(answer).value().pod_sandbox_id(), "web in /kubepods/pod1");
  EXPECT_EQ(CallVersion().value().runtime_name(), "test");
}

TEST_F(ClientTest, AnAnswerComesWithDeliverOnTheThreadThatDelivers) {
  StartServer();
  std::optional<std::thread::id> thread;
  client_->Version(kLong, [&](const auto&) { thread = std::this_thread::get_id(); });
  ASSERT_TRUE(Readable(client_->fd(), kLong));
  EXPECT_FALSE(thread);
  client_->Deliver();
  EXPECT_EQ(thread, std::this_thread::get_id());
  EXPECT_FALSE(Readable(client_->fd(), Duration::zero()));
}

TEST_F(ClientTest, AnAnswerMayMakeTheNextCall) {
  StartServer();
  std::optional<Result<api::VersionResponse>> second;
  client_->Version(kLong, [&](const auto&) {
    client_->Version(kLong, [&](auto given) { second = std::move(given); });
  });
  EXPECT_TRUE(Await(second));
}

TEST_F(ClientTest, AFailureNamesTheCallAndKeepsTheRuntimesWords) {
  StartServer();
  api::StopContainerRequest request;
  request.set_container_id("c1");
  std::optional<Result<api::StopContainerResponse>> answer;
  client_->StopContainer(request, kLong, [&](auto given) { answer = std::move(given); });
  const auto failed = Await(answer);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error(), (Error{ErrorCode::kNotFound, "StopContainer: no container c1"}));
}

TEST_F(ClientTest, EveryCallReachesTheMethodOfItsName) {
  NamesMethods names;
  server_ = Serve(socket_, nullptr, &names);
  std::map<std::string, std::string> reached;
  const auto note = [&](std::string call) {
    return [&reached, call = std::move(call)](const auto& answer) {
      reached[call] = answer ? "an answer" : answer.error().message;
    };
  };
  client_->Version(kLong, note("RuntimeService/Version"));
  client_->Status({}, kLong, note("RuntimeService/Status"));
  client_->RunPodSandbox({}, kLong, note("RuntimeService/RunPodSandbox"));
  client_->StopPodSandbox({}, kLong, note("RuntimeService/StopPodSandbox"));
  client_->RemovePodSandbox({}, kLong, note("RuntimeService/RemovePodSandbox"));
  client_->ListPodSandbox({}, kLong, note("RuntimeService/ListPodSandbox"));
  client_->CreateContainer({}, kLong, note("RuntimeService/CreateContainer"));
  client_->StartContainer({}, kLong, note("RuntimeService/StartContainer"));
  client_->StopContainer({}, kLong, note("RuntimeService/StopContainer"));
  client_->RemoveContainer({}, kLong, note("RuntimeService/RemoveContainer"));
  client_->ListContainers({}, kLong, note("RuntimeService/ListContainers"));
  client_->ContainerStatus({}, kLong, note("RuntimeService/ContainerStatus"));
  client_->ExecSync({}, kLong, note("RuntimeService/ExecSync"));
  client_->ListImages(kLong, note("ImageService/ListImages"));
  client_->ImageStatus({}, kLong, note("ImageService/ImageStatus"));
  client_->PullImage({}, kLong, note("ImageService/PullImage"));
  client_->RemoveImage({}, kLong, note("ImageService/RemoveImage"));
  client_->ImageFsInfo(kLong, note("ImageService/ImageFsInfo"));
  while (reached.size() < 18 && Readable(client_->fd(), kLong)) client_->Deliver();
  EXPECT_EQ(reached.size(), 18U);
  for (const auto& [call, message] : reached) {
    const std::string method = call.substr(call.find('/') + 1);
    EXPECT_EQ(message, method + ": /runtime.v1." + call);
  }
  ShutDown(server_);
}

TEST_F(ClientTest, AHangingCallEndsAtItsDeadlineAndHoldsUpNoOther) {
  StartServer();
  std::optional<Result<api::StartContainerResponse>> answer;
  client_->StartContainer({}, milliseconds(300), [&](auto given) { answer = std::move(given); });
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
  EXPECT_LT(std::chrono::steady_clock::now() - before, seconds(5));  // of a deadline of 30
}

TEST_F(ClientTest, AListenerThatSaysNothingIsADeadline) {
  const FileDescriptor listener = Listen(socket_);
  const auto failed = CallVersion(milliseconds(200));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kDeadlineExceeded);
}

TEST_F(ClientTest, AListenerThatSpeaksAnotherProtocolIsUnavailable) {
  for (const std::string_view greeting :
       {"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
        "\0\0\0\0\0\0\0\0\0\0\0\0", ""}) {
    const std::string path = folder_.path() + "/other.sock";
    const FileDescriptor listener = Listen(path);
    client_ = ConnectTo(path);
    std::optional<Result<api::VersionResponse>> answer;
    client_->Version(kLong, [&](auto given) { answer = std::move(given); });
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

TEST_F(ClientTest, AServerWithoutTheServiceIsUnavailable) {
  api::ImageService::Service images;
  server_ = Serve(socket_, &images);
  const auto failed = CallVersion();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(failed.error().message,
              HasSubstr(socket_ + " does not speak the Container Runtime Interface v1"));
  ShutDown(server_);
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

TEST_F(ClientTest, ACallUnderWayWhenTheServerEndsIsUnavailable) {
  StartServer();
  std::optional<Result<api::StartContainerResponse>> answer;
  client_->StartContainer({}, kLong, [&](auto given) { answer = std::move(given); });
  runtime_.gate.AwaitArrivals(1);
  // Returns when the call has left the gate.
  std::jthread ending([this] { server_->Shutdown(std::chrono::system_clock::now()); });
  const auto failed = Await(answer);
  runtime_.gate.Open();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable) << failed.error().message;
}

TEST_F(ClientTest, DestructionEndsCallsUnderWayAndDropsTheirAnswers) {
  StartServer();
  const auto answered = std::make_shared<int>(0);
  for (int call = 0; call < 3; ++call) {
    client_->StartContainer({}, kLong, [answered](const auto&) { ++*answered; });
  }
  runtime_.gate.AwaitArrivals(1);
  client_.reset();
  EXPECT_EQ(*answered, 0);
  EXPECT_EQ(answered.use_count(), 1);
}

TEST_F(ClientTest, DestructionDropsAnswersThatWereNotDelivered) {
  StartServer();
  const auto answered = std::make_shared<int>(0);
  client_->Version(kLong, [answered](const auto&) { ++*answered; });
  ASSERT_TRUE(Readable(client_->fd(), kLong));
  client_.reset();
  EXPECT_EQ(*answered, 0);
  EXPECT_EQ(answered.use_count(), 1);
}

TEST_F(ClientTest, DestructionBeforeThereIsAConnectionEndsCallsToo) {
  const FileDescriptor listener = Listen(socket_);
  const auto answered = std::make_shared<int>(0);
  client_->Version(kLong, [answered](const auto&) { ++*answered; });
  client_.reset();
  EXPECT_EQ(answered.use_count(), 1);
}

TEST_F(ClientTest, AnswersOfUpTo16MiBArePassedOn) {
  StartServer();
  const auto output = [&](std::int64_t bytes) {
    api::ExecSyncRequest request;
    request.set_timeout(bytes);
    std::optional<Result<api::ExecSyncResponse>> answer;
    client_->ExecSync(request, kLong, [&](auto given) { answer = std::move(given); });
    return Await(answer);
  };
  EXPECT_EQ(output(15 << 20).value().stdout().size(), std::size_t{15} << 20);
  const auto failed = output(17 << 20);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kInternal);
  EXPECT_THAT(failed.error().message, StartsWith("ExecSync: Received message larger than max"));
}

TEST_F(ClientTest, ASocketsPathMayHoldAnyCharacter) {
  socket_ = folder_.path() + "/a b%20?#\xc3\xa4.sock";
  client_ = ConnectTo(socket_);
  StartServer();
  EXPECT_TRUE(CallVersion());
}

TEST(Connect, RefusesOtherEndpoints) {
  const auto refused = Connect("tcp://127.0.0.1:1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace jettison::cri
