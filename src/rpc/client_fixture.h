#pragma once

#include <cri.grpc.pb.h>
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
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/file_descriptor.h"
#include "rpc/client.h"

namespace jettison::cri {

inline constexpr Duration kLong = std::chrono::seconds(30);  // for what is answered anyway

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

  kernel::TemporaryFolder folder_;
  std::string socket_;
  TestRuntime runtime_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Calls> client_;
};

}  // namespace jettison::cri
