#include "rpc/client.h"

#include <cri.grpc.pb.h>
#include <gmock/gmock.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/scarcity.h"
#include "ports/file_descriptor.h"
#include "runtimes/cri/images/image_store.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

constexpr Duration kLong = std::chrono::seconds(30);  // for what is answered anyway

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
  grpc::Status StopContainer(grpc::ServerContext*, const api::StopContainerRequest* request,
                             api::StopContainerResponse*) override {
    return {grpc::NOT_FOUND, "no container " + request->container_id()};
  }
  grpc::Status StartContainer(grpc::ServerContext*, const api::StartContainerRequest*,
                              api::StartContainerResponse*) override {
    gate.Pass();
    return grpc::Status::OK;
  }
  Gate gate;
};

inline std::unique_ptr<grpc::Server> Serve(const std::string& socket, grpc::Service* service,
                                           grpc::CallbackGenericService* generic = nullptr) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(TargetOf(socket), grpc::InsecureServerCredentials());
  builder.SetMaxReceiveMessageSize(-1);
  if (service != nullptr) builder.RegisterService(service);
  if (generic != nullptr) builder.RegisterCallbackGenericService(generic);
  return builder.BuildAndStart();
}

inline void ShutDown(std::unique_ptr<grpc::Server>& server) {
  server->Shutdown(std::chrono::system_clock::now());
  server.reset();
}

// A listening socket on which no gRPC is spoken.
inline FileDescriptor Listen(const std::string& path) {
  FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(static_cast<char*>(address.sun_path), path.c_str(), path.size() + 1);
  EXPECT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(listener.get(), 16), 0);
  return listener;
}

inline bool Readable(int fd, Duration within) {
  pollfd waited{.fd = fd, .events = POLLIN, .revents = 0};
  const auto span = std::chrono::duration_cast<std::chrono::milliseconds>(within).count();
  return ::poll(&waited, 1, static_cast<int>(span)) == 1;
}

// A client and, once it is started, a server on the same socket.
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
    client_->Make(kVersion, {}, deadline, [&](auto given) { answer = std::move(given); });
    return Await(answer);
  }
  // Until it is answered.
  Result<api::VersionResponse> CallVersionAgain() {
    const auto begin = std::chrono::steady_clock::now();
    auto answer = CallVersion();
    while (!answer && std::chrono::steady_clock::now() - begin < kLong) answer = CallVersion();
    return answer;
  }

  kernel::TemporaryFolder folder_;
  std::string socket_;
  TestRuntime runtime_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Calls> client_;
};

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
  client_ = Connect("unix://" + socket_, ask).value();
  const auto refused = CallVersion();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, StartsWith("Version: no threads can be started"));
  EXPECT_GT(asked, 4U);
  there = true;
  EXPECT_EQ(CallVersionAgain().value().runtime_name(), "test");
  EXPECT_LE(times, 1 + (std::chrono::steady_clock::now() - begin) / std::chrono::seconds(1))
      << "it is tried once a second";
}

// gRPC aborts where it cannot have an eventfd when it starts, which it does anew after a clock was
// set.
TEST_F(ClientTest, WithoutDescriptorsForTheConnectionCallsFailAndItIsMadeLater) {
  StartServer();
  client_ = Connect("unix://" + socket_).value();
  std::optional<ScarceDescriptors> few(2);
  const auto refused = CallVersion();
  few.reset();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, StartsWith("Version: no descriptors can be had"));
  EXPECT_EQ(CallVersionAgain().value().runtime_name(), "test");
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

// Servers that do not exist, hang, end, or are not container runtimes.

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

TEST(Endpoint, AnyOtherFormIsRefusedWithWhatIsAllowed) {
  for (const std::string_view endpoint :
       {std::string_view(), std::string_view("/run/containerd/containerd.sock"),
        std::string_view("unix:/run/c.sock"), std::string_view("unix://run/c.sock"),
        std::string_view("unix:///run/"), std::string_view("tcp://127.0.0.1:1234"),
        std::string_view("UNIX:///run/c.sock"), std::string_view(" unix:///run/c.sock"),
        std::string_view("unix:///a\0b", 11)}) {
    const Result<std::string> socket = SocketOf(endpoint);
    ASSERT_FALSE(socket) << endpoint;
    EXPECT_EQ(socket.error().code, ErrorCode::kInvalidArgument) << endpoint;
    EXPECT_THAT(socket.error().message, HasSubstr("as in unix:///run/containerd/containerd.sock"));
  }
  const std::string longest = "/" + std::string(106, 'x');
  EXPECT_TRUE(SocketOf("unix://" + longest));
  EXPECT_THAT(SocketOf("unix://" + longest + "x").error().message,
              HasSubstr("the path has 108 bytes, a socket's at most 107"));
}

TEST(Endpoint, TheTargetIsAUri) {
  EXPECT_EQ(TargetOf("/run/a-b_c~1.sock"), "unix:///run/a-b_c~1.sock");
  EXPECT_EQ(TargetOf("/a b/100%?#\xc3\xa4"), "unix:///a%20b/100%25%3F%23%C3%A4");
}

// gRPC while the wall clock is set. The clock is that of a program alone: the test runs itself
// again with a library that moves it (tests/chaos/clock_shim.c).

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
