#include "rpc/client.h"

#include <containerd_containers.grpc.pb.h>
#include <containerd_images.grpc.pb.h>
#include <containerd_namespaces.grpc.pb.h>
#include <containerd_tasks.grpc.pb.h>
#include <cri.grpc.pb.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ports/file_descriptor.h"
#include "ports/signals_blocked.h"
#include "ports/system_error.h"
#include "rpc/call_ledger.h"
#include "rpc/endpoint.h"

namespace jettison::cri {
namespace {

constexpr int kLargestMessage = 16 << 20;  // bytes, either way; the kubelet's limit too
constexpr int kFirstRetryMs = 100;
constexpr int kLongestRetryMs = 1000;
constexpr std::size_t kThreads = 12;      // more than it has on two processors
constexpr std::size_t kDescriptors = 16;  // more than it has before it connects
constexpr std::chrono::seconds kBetweenTries{1};
// How long calls that were cancelled may take to end, at the end of all.
constexpr std::chrono::seconds kFarewell{3};
// For gRPC to try a channel that has failed again, which it does every second.
constexpr std::chrono::seconds kRenewAfter{2};
constexpr int kConnectingMs = 5000;  // until a listener that says nothing is given up

using RuntimeStub = api::RuntimeService::StubInterface::async_interface;
using ImageStub = api::ImageService::StubInterface::async_interface;
using NamespacesStub = namespaces_api::Namespaces::StubInterface::async_interface;
using ContainersStub = containers_api::Containers::StubInterface::async_interface;
using StoredImagesStub = images_api::Images::StubInterface::async_interface;
using TasksStub = tasks_api::Tasks::StubInterface::async_interface;

// A method of a stub that reports its end to a function.
template <typename Stub, typename Request, typename Response>
using Method = void (Stub::*)(grpc::ClientContext*, const Request*, Response*,
                              std::function<void(grpc::Status)>);

template <typename Response>
class CallOf : public Call {
 public:
  explicit CallOf(Answer<Response> answer) : answer_(std::move(answer)) {}
  void Deliver() override {
    if (error) return answer_(Fail(*std::move(error)));
    answer_(std::move(response));
  }
  std::unique_ptr<Call> Supersede(Error failure) override {
    auto successor = std::make_unique<CallOf>(std::move(answer_));
    successor->context.reset();
    successor->error = std::move(failure);
    return successor;
  }

  Response response;

 private:
  Answer<Response> answer_;
};

// Every failure comes back with its call, so gRPC's own log says nothing new, but for the reason
// why it is about to abort.
void LogOfGrpc(gpr_log_func_args* line) {
  const std::string_view message = line->message;
  if (message.starts_with("assertion failed")) std::fprintf(stderr, "grpc: %s\n", line->message);
}

// Starts gRPC, once. It is never shut down: that waits for its threads, which it may never have
// got.
void StartGrpc() {
  [[maybe_unused]] static const bool kStarted = [] {
    gpr_set_log_function(LogOfGrpc);
    grpc_init();
    return true;
  }();
}

// Whether as many descriptors as gRPC begins with can be had now. It aborts where one cannot.
bool DescriptorsCanBeHad() {
  std::array<FileDescriptor, kDescriptors> tried;
  return std::ranges::all_of(tried, [](FileDescriptor& each) {
    each = FileDescriptor(::eventfd(0, EFD_CLOEXEC));
    return static_cast<bool>(each);
  });
}

gpr_timespec DeadlineIn(Duration span) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(span.count(), GPR_TIMESPAN));
}

std::shared_ptr<grpc::Channel> ChannelTo(const std::string& socket) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLargestMessage);
  arguments.SetMaxSendMessageSize(kLargestMessage);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstRetryMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLongestRetryMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectingMs);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);  // who calls knows what may be done twice
  return grpc::CreateCustomChannel(TargetOf(socket), grpc::InsecureChannelCredentials(), arguments);
}

// A channel, and what calls go through.
struct Stubs {
  explicit Stubs(const std::string& socket)
      : channel(ChannelTo(socket)),
        runtime(api::RuntimeService::NewStub(channel)),
        images(api::ImageService::NewStub(channel)),
        namespaces(namespaces_api::Namespaces::NewStub(channel)),
        containers(containers_api::Containers::NewStub(channel)),
        stored_images(images_api::Images::NewStub(channel)),
        tasks(tasks_api::Tasks::NewStub(channel)) {}

  const std::shared_ptr<grpc::Channel> channel;
  const std::unique_ptr<api::RuntimeService::Stub> runtime;
  const std::unique_ptr<api::ImageService::Stub> images;
  const std::unique_ptr<namespaces_api::Namespaces::Stub> namespaces;
  const std::unique_ptr<containers_api::Containers::Stub> containers;
  const std::unique_ptr<images_api::Images::Stub> stored_images;
  const std::unique_ptr<tasks_api::Tasks::Stub> tasks;
};

// Everything of a call but its way through gRPC happens on the thread that delivers.
class Client : public Calls, public ContainerdCalls {
 public:
  Client(std::string socket, FileDescriptor timer, ConnectOptions options)
      : socket_(std::move(socket)),
        options_(std::move(options)),
        ledger_(std::make_shared<CallLedger>(std::move(timer))) {}
  ~Client() override {
    // What calls that do not end go through must outlive them.
    if (!ledger_->CancelAll(kFarewell)) (void)stubs_.release();
    stubs_.reset();
    (void)ledger_->TakeAnswers();
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void Version(Duration deadline, Answer<api::VersionResponse> answer) override {
    api::VersionRequest request;
    request.set_version("0.1.0");  // the kubelet's runtime API version
    Start("Version", &RuntimeStub::Version, request, deadline, std::move(answer));
  }
  void Status(const api::StatusRequest& request, Duration deadline,
              Answer<api::StatusResponse> answer) override {
    Start("Status", &RuntimeStub::Status, request, deadline, std::move(answer));
  }
  void RunPodSandbox(const api::RunPodSandboxRequest& request, Duration deadline,
                     Answer<api::RunPodSandboxResponse> answer) override {
    Start("RunPodSandbox", &RuntimeStub::RunPodSandbox, request, deadline, std::move(answer));
  }
  void StopPodSandbox(const api::StopPodSandboxRequest& request, Duration deadline,
                      Answer<api::StopPodSandboxResponse> answer) override {
    Start("StopPodSandbox", &RuntimeStub::StopPodSandbox, request, deadline, std::move(answer));
  }
  void RemovePodSandbox(const api::RemovePodSandboxRequest& request, Duration deadline,
                        Answer<api::RemovePodSandboxResponse> answer) override {
    Start("RemovePodSandbox", &RuntimeStub::RemovePodSandbox, request, deadline, std::move(answer));
  }
  void ListPodSandbox(const api::ListPodSandboxRequest& request, Duration deadline,
                      Answer<api::ListPodSandboxResponse> answer) override {
    Start("ListPodSandbox", &RuntimeStub::ListPodSandbox, request, deadline, std::move(answer));
  }
  void CreateContainer(const api::CreateContainerRequest& request, Duration deadline,
                       Answer<api::CreateContainerResponse> answer) override {
    Start("CreateContainer", &RuntimeStub::CreateContainer, request, deadline, std::move(answer));
  }
  void StartContainer(const api::StartContainerRequest& request, Duration deadline,
                      Answer<api::StartContainerResponse> answer) override {
    Start("StartContainer", &RuntimeStub::StartContainer, request, deadline, std::move(answer));
  }
  void StopContainer(const api::StopContainerRequest& request, Duration deadline,
                     Answer<api::StopContainerResponse> answer) override {
    Start("StopContainer", &RuntimeStub::StopContainer, request, deadline, std::move(answer));
  }
  void RemoveContainer(const api::RemoveContainerRequest& request, Duration deadline,
                       Answer<api::RemoveContainerResponse> answer) override {
    Start("RemoveContainer", &RuntimeStub::RemoveContainer, request, deadline, std::move(answer));
  }
  void ListContainers(const api::ListContainersRequest& request, Duration deadline,
                      Answer<api::ListContainersResponse> answer) override {
    Start("ListContainers", &RuntimeStub::ListContainers, request, deadline, std::move(answer));
  }
  void ContainerStatus(const api::ContainerStatusRequest& request, Duration deadline,
                       Answer<api::ContainerStatusResponse> answer) override {
    Start("ContainerStatus", &RuntimeStub::ContainerStatus, request, deadline, std::move(answer));
  }
  void ReopenContainerLog(const api::ReopenContainerLogRequest& request, Duration deadline,
                          Answer<api::ReopenContainerLogResponse> answer) override {
    Start("ReopenContainerLog", &RuntimeStub::ReopenContainerLog, request, deadline,
          std::move(answer));
  }
  void ExecSync(const api::ExecSyncRequest& request, Duration deadline,
                Answer<api::ExecSyncResponse> answer) override {
    Start("ExecSync", &RuntimeStub::ExecSync, request, deadline, std::move(answer));
  }
  void ListImages(Duration deadline, Answer<api::ListImagesResponse> answer) override {
    Start("ListImages", &ImageStub::ListImages, api::ListImagesRequest(), deadline,
          std::move(answer));
  }
  void ImageStatus(const api::ImageStatusRequest& request, Duration deadline,
                   Answer<api::ImageStatusResponse> answer) override {
    Start("ImageStatus", &ImageStub::ImageStatus, request, deadline, std::move(answer));
  }
  void PullImage(const api::PullImageRequest& request, Duration deadline,
                 Answer<api::PullImageResponse> answer) override {
    Start("PullImage", &ImageStub::PullImage, request, deadline, std::move(answer));
  }
  void RemoveImage(const api::RemoveImageRequest& request, Duration deadline,
                   Answer<api::RemoveImageResponse> answer) override {
    Start("RemoveImage", &ImageStub::RemoveImage, request, deadline, std::move(answer));
  }
  void ImageFsInfo(Duration deadline, Answer<api::ImageFsInfoResponse> answer) override {
    Start("ImageFsInfo", &ImageStub::ImageFsInfo, api::ImageFsInfoRequest(), deadline,
          std::move(answer));
  }

  ContainerdCalls* containerd() override { return this; }
  void ListNamespaces(Duration deadline,
                      Answer<namespaces_api::ListNamespacesResponse> answer) override {
    Start("ListNamespaces", &NamespacesStub::List, namespaces_api::ListNamespacesRequest(),
          deadline, std::move(answer));
  }
  void ListContainersIn(const std::string& in_namespace,
                        const containers_api::ListContainersRequest& request, Duration deadline,
                        Answer<containers_api::ListContainersResponse> answer) override {
    Start("ListContainersIn", &ContainersStub::List, request, deadline, std::move(answer),
          in_namespace);
  }
  void GetContainerIn(const std::string& in_namespace,
                      const containers_api::GetContainerRequest& request, Duration deadline,
                      Answer<containers_api::GetContainerResponse> answer) override {
    Start("GetContainerIn", &ContainersStub::Get, request, deadline, std::move(answer),
          in_namespace);
  }
  void ListImagesIn(const std::string& in_namespace, Duration deadline,
                    Answer<images_api::ListImagesResponse> answer) override {
    Start("ListImagesIn", &StoredImagesStub::List, images_api::ListImagesRequest(), deadline,
          std::move(answer), in_namespace);
  }
  void ListTasksIn(const std::string& in_namespace, Duration deadline,
                   Answer<tasks_api::ListTasksResponse> answer) override {
    Start("ListTasksIn", &TasksStub::List, tasks_api::ListTasksRequest(), deadline,
          std::move(answer), in_namespace);
  }
  void GetTaskIn(const std::string& in_namespace, const tasks_api::GetRequest& request,
                 Duration deadline, Answer<tasks_api::GetResponse> answer) override {
    Start("GetTaskIn", &TasksStub::Get, request, deadline, std::move(answer), in_namespace);
  }
  void KillTaskIn(const std::string& in_namespace, const tasks_api::KillRequest& request,
                  Duration deadline, Answer<tasks_api::KillResponse> answer) override {
    Start("KillTaskIn", &TasksStub::Kill, request, deadline, std::move(answer), in_namespace);
  }
  void DeleteTaskIn(const std::string& in_namespace, const tasks_api::DeleteTaskRequest& request,
                    Duration deadline, Answer<tasks_api::DeleteResponse> answer) override {
    Start("DeleteTaskIn", &TasksStub::Delete, request, deadline, std::move(answer), in_namespace);
  }

  [[nodiscard]] int fd() const override { return ledger_->fd(); }
  void Deliver() override {
    ledger_->EndOverdue(std::chrono::steady_clock::now());
    for (const std::unique_ptr<Call>& call : ledger_->TakeAnswers()) call->Deliver();
  }

 private:
  RuntimeStub& StubFor(const RuntimeStub*) { return *stubs_->runtime->async(); }
  ImageStub& StubFor(const ImageStub*) { return *stubs_->images->async(); }
  NamespacesStub& StubFor(const NamespacesStub*) { return *stubs_->namespaces->async(); }
  ContainersStub& StubFor(const ContainersStub*) { return *stubs_->containers->async(); }
  StoredImagesStub& StubFor(const StoredImagesStub*) { return *stubs_->stored_images->async(); }
  TasksStub& StubFor(const TasksStub*) { return *stubs_->tasks->async(); }

  // `of`: the namespace of containerd; empty: the call is about none.
  template <typename Stub, typename Request, typename Response>
  void Start(const char* name, Method<Stub, Request, Response> method, const Request& request,
             Duration deadline, Answer<Response> answer, const std::string& in_namespace = {});
  // Ensures a connection. Returns why there is none; empty where there is one. gRPC never recovers
  // when it cannot start one of its own threads.
  [[nodiscard]] std::string_view WhyNotConnected();
  // Takes another channel where gRPC does not try this one again.
  void RenewChannel();

  const std::string socket_;
  const ConnectOptions options_;
  const std::shared_ptr<CallLedger> ledger_;
  std::unique_ptr<Stubs> stubs_;  // null: there was no connection yet
  std::chrono::steady_clock::time_point next_try_;
  std::string_view why_not_;                                       // of the last try
  std::optional<std::chrono::steady_clock::time_point> renew_at_;  // the channel has failed
};

template <typename Stub, typename Request, typename Response>
void Client::Start(const char* name, Method<Stub, Request, Response> method, const Request& request,
                   Duration deadline, Answer<Response> answer, const std::string& in_namespace) {
  constexpr bool kOfCri = std::is_same_v<Stub, RuntimeStub> || std::is_same_v<Stub, ImageStub>;
  auto owned = std::make_unique<CallOf<Response>>(std::move(answer));
  CallOf<Response>* const call = owned.get();
  call->context->set_deadline(DeadlineIn(deadline));
  if (!in_namespace.empty()) call->context->AddMetadata("containerd-namespace", in_namespace);
  call->overdue_at = std::chrono::steady_clock::now() + deadline + options_.overdue_after;
  const FailedCall unanswered{.call = name,
                              .socket = socket_,
                              .deadline = deadline,
                              .status = grpc::StatusCode::DEADLINE_EXCEEDED,
                              .message = {},
                              .of_cri = kOfCri};
  call->when_overdue = ErrorOf(unanswered);
  ledger_->Add(std::move(owned));
  std::optional<SignalsBlocked> while_threads_start;
  if (!stubs_) while_threads_start.emplace();
  if (const std::string_view why = WhyNotConnected(); !why.empty()) {
    return ledger_->Finish(
        call, Error{ErrorCode::kUnavailable, std::string(name).append(": ").append(why)});
  }
  RenewChannel();
  const auto finish = [ledger = ledger_, call, unanswered](const grpc::Status& status) {
    if (status.ok()) return ledger->Finish(call, std::nullopt);
    FailedCall failed = unanswered;
    failed.status = status.error_code();
    failed.message = status.error_message();
    ledger->Finish(call, ErrorOf(failed));
  };
  // The request is serialized before the method returns.
  (StubFor(static_cast<const Stub*>(nullptr)).*method)(&*call->context, &request, &call->response,
                                                       finish);
}

// gRPC has timers on threads that wait by the wall clock: where that is put back, a channel that
// has failed is not tried again for so long. A new one is tried by its first call. Those of a
// channel that has failed have failed with it.
void Client::RenewChannel() {
  if (stubs_->channel->GetState(false) != GRPC_CHANNEL_TRANSIENT_FAILURE) return renew_at_.reset();
  const auto now = std::chrono::steady_clock::now();
  if (renew_at_ && now >= *renew_at_) {
    stubs_ = std::make_unique<Stubs>(socket_);
    renew_at_.reset();
  } else if (!renew_at_) {
    renew_at_ = now + kRenewAfter;
  }
}

std::string_view Client::WhyNotConnected() {
  if (stubs_) return {};
  const auto now = std::chrono::steady_clock::now();
  if (now < next_try_) return why_not_;
  why_not_ = {};
  if (options_.threads_can_be_had && !options_.threads_can_be_had(kThreads)) {
    why_not_ =
        "no threads can be started for the connection; raise pids.max of the agent's group "
        "(TasksMax= of its unit)";
  } else if (!DescriptorsCanBeHad()) {
    why_not_ =
        "no descriptors can be had for the connection; raise the agent's limit of open files "
        "(LimitNOFILE= of its unit)";
  }
  if (why_not_.empty()) {
    StartGrpc();
    stubs_ = std::make_unique<Stubs>(socket_);
  } else {
    next_try_ = now + kBetweenTries;
  }
  return why_not_;
}

}  // namespace

Result<std::unique_ptr<Calls>> Connect(const std::string& endpoint, ConnectOptions options) {
  Result<std::string> socket = SocketOf(endpoint);
  if (!socket) return Fail(std::move(socket.error()));
  FileDescriptor timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer) return FailErrno("make a timer");
  return std::make_unique<Client>(*std::move(socket), std::move(timer), std::move(options));
}

}  // namespace jettison::cri
