#include "rpc/client.h"

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/status_code_enum.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "ports/file_descriptor.h"
#include "ports/signals_blocked.h"
#include "ports/system_error.h"
#include "rpc/call_ledger.h"

namespace jettison::cri {
namespace {

constexpr std::string_view kScheme = "unix://";
constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

// A call that did not succeed, as gRPC tells it.
struct FailedCall {
  std::string call;     // "RunPodSandbox"
  std::string socket;   // path of the runtime's socket
  Duration deadline{};  // what the call was given
  int status = 0;       // gRPC's canonical code, never 0 (OK)
  std::string message;  // of the runtime, or of gRPC itself; may be empty
  bool of_cri = true;   // else of containerd's own API
};

ErrorCode CodeOf(int status) {
  switch (status) {
    case grpc::INVALID_ARGUMENT:
    case grpc::ALREADY_EXISTS:
    case grpc::FAILED_PRECONDITION:
    case grpc::OUT_OF_RANGE: return ErrorCode::kInvalidArgument;
    case grpc::DEADLINE_EXCEEDED: return ErrorCode::kDeadlineExceeded;
    case grpc::NOT_FOUND: return ErrorCode::kNotFound;
    case grpc::PERMISSION_DENIED:
    case grpc::UNAUTHENTICATED: return ErrorCode::kPermissionDenied;
    // A runtime that is being stopped cancels or aborts what it was at.
    case grpc::CANCELLED:
    case grpc::ABORTED:
    case grpc::UNIMPLEMENTED:
    case grpc::UNAVAILABLE: return ErrorCode::kUnavailable;
    default: return ErrorCode::kInternal;
  }
}

std::string SentenceOf(const FailedCall& failed) {
  switch (failed.status) {
    case grpc::UNIMPLEMENTED:
      return fmt::format(
          "{} does not speak the Container Runtime Interface v1 ({}); make sure that "
          "containerRuntimeEndpoint names a CRI runtime and that its CRI service is enabled",
          failed.socket, failed.message);
    case grpc::CANCELLED:
    case grpc::ABORTED:
    case grpc::UNAVAILABLE:
      return fmt::format(
          "no runtime answers on {} ({}); make sure that it is running and that "
          "containerRuntimeEndpoint names its socket",
          failed.socket, failed.message);
    case grpc::DEADLINE_EXCEEDED:
      return fmt::format("no answer on {} within {}", failed.socket,
                         FormatDuration(failed.deadline));
    default: break;
  }
  if (failed.message.empty()) return fmt::format("the runtime answered status {}", failed.status);
  return failed.message;
}

// The failure as an Error. The message begins with the call; where an operator can help, it names
// the socket and says what to do. kUnavailable: the runtime does not offer CRI v1 (UNIMPLEMENTED);
// kNotFound: it does not offer containerd's own API.
Error ErrorOf(const FailedCall& failed) {
  if (failed.status == grpc::UNIMPLEMENTED && !failed.of_cri) {
    return Error{ErrorCode::kNotFound, "the runtime has no API of containerd's"}.In(failed.call);
  }
  return Error{CodeOf(failed.status), SentenceOf(failed)}.In(failed.call);
}

constexpr int kLargestMessage = 16 << 20;  // bytes, either way; the kubelet's limit too
constexpr int kFirstRetryMs = 100;
constexpr int kLongestRetryMs = 1000;
constexpr std::size_t kThreads = 12;      // more than it has on two processors
constexpr std::size_t kDescriptors = 16;  // more than it has before it connects
// A call that gRPC has not ended so long after its deadline is cancelled.
constexpr std::chrono::milliseconds kOverdueAfter{250};
constexpr std::chrono::seconds kBetweenTries{1};
// How long calls that were cancelled may take to end, at the end of all.
constexpr std::chrono::seconds kFarewell{3};
// For gRPC to try a channel that has failed again, which it does every second.
constexpr std::chrono::seconds kRenewAfter{2};
constexpr int kConnectingMs = 5000;  // until a listener that says nothing is given up

using google::protobuf::MessageLite;

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
struct Connection {
  explicit Connection(const std::string& socket) : channel(ChannelTo(socket)), stub(channel) {}

  const std::shared_ptr<grpc::Channel> channel;
  grpc::TemplatedGenericStub<MessageLite, MessageLite> stub;
};

// Everything of a call but its way through gRPC happens on the thread that delivers.
class Client : public Calls {
 public:
  Client(std::string socket, FileDescriptor timer, ThreadsCanBeHad threads_can_be_had)
      : socket_(std::move(socket)),
        threads_can_be_had_(std::move(threads_can_be_had)),
        ledger_(std::make_shared<CallLedger>(std::move(timer))) {}
  ~Client() override {
    // What calls that do not end go through must outlive them.
    if (!ledger_->CancelAll(kFarewell)) (void)connection_.release();
    (void)ledger_->TakeAnswers();
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] int fd() const override { return ledger_->fd(); }
  void Deliver() override {
    ledger_->EndOverdue(std::chrono::steady_clock::now());
    for (const CallLedger::Call& call : ledger_->TakeAnswers()) {
      const auto done = std::exchange(call->done, nullptr);
      if (done) done(call->error);
    }
  }

 private:
  void Start(UntypedCall asked) override;
  // Ensures a connection. Returns why there is none; empty where there is one. gRPC never recovers
  // when it cannot start one of its own threads.
  [[nodiscard]] std::string_view WhyNotConnected();
  // Takes another channel where gRPC does not try this one again.
  void RenewChannel();

  const std::string socket_;
  const ThreadsCanBeHad threads_can_be_had_;
  const std::shared_ptr<CallLedger> ledger_;
  std::unique_ptr<Connection> connection_;  // null: there was none yet
  std::chrono::steady_clock::time_point next_try_;
  std::string_view why_not_;                                       // of the last try
  std::optional<std::chrono::steady_clock::time_point> renew_at_;  // the channel has failed
};

void Client::Start(UntypedCall asked) {
  const auto call = std::make_shared<LedgerCall>();
  call->context.set_deadline(DeadlineIn(asked.deadline));
  if (!asked.in_namespace.empty()) {
    call->context.AddMetadata("containerd-namespace", asked.in_namespace);
  }
  call->overdue_at = std::chrono::steady_clock::now() + asked.deadline + kOverdueAfter;
  call->response = std::move(asked.response);
  call->done = std::move(asked.done);
  const FailedCall unanswered{.call = asked.name,
                              .socket = socket_,
                              .deadline = asked.deadline,
                              .status = grpc::StatusCode::DEADLINE_EXCEEDED,
                              .message = {},
                              .of_cri = std::string_view(asked.path).starts_with("/runtime.")};
  call->when_overdue = ErrorOf(unanswered);
  ledger_->Add(call);
  std::optional<SignalsBlocked> while_threads_start;
  if (!connection_) while_threads_start.emplace();
  if (const std::string_view why = WhyNotConnected(); !why.empty()) {
    return ledger_->Finish(
        *call, Error{ErrorCode::kUnavailable, std::string(asked.name).append(": ").append(why)});
  }
  RenewChannel();
  const auto finish = [ledger = ledger_, call = call.get(),
                       unanswered](const grpc::Status& status) {
    if (status.ok()) return ledger->Finish(*call, std::nullopt);
    FailedCall failed = unanswered;
    failed.status = status.error_code();
    failed.message = status.error_message();
    ledger->Finish(*call, ErrorOf(failed));
  };
  // The request is serialized before this returns.
  connection_->stub.UnaryCall(&call->context, asked.path, {}, &asked.request, call->response.get(),
                              finish);
}

// gRPC has timers on threads that wait by the wall clock: where that is put back, a channel that
// has failed is not tried again for so long. A new one is tried by its first call. Those of a
// channel that has failed have failed with it.
void Client::RenewChannel() {
  if (connection_->channel->GetState(false) != GRPC_CHANNEL_TRANSIENT_FAILURE)
    return renew_at_.reset();
  const auto now = std::chrono::steady_clock::now();
  if (renew_at_ && now >= *renew_at_) {
    connection_ = std::make_unique<Connection>(socket_);
    renew_at_.reset();
  } else if (!renew_at_) {
    renew_at_ = now + kRenewAfter;
  }
}

std::string_view Client::WhyNotConnected() {
  if (connection_) return {};
  const auto now = std::chrono::steady_clock::now();
  if (now < next_try_) return why_not_;
  why_not_ = {};
  if (threads_can_be_had_ && !threads_can_be_had_(kThreads)) {
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
    connection_ = std::make_unique<Connection>(socket_);
  } else {
    next_try_ = now + kBetweenTries;
  }
  return why_not_;
}

}  // namespace

Result<std::string> SocketOf(std::string_view endpoint) {
  const std::string_view path =
      endpoint.starts_with(kScheme) ? endpoint.substr(kScheme.size()) : std::string_view();
  if (!path.starts_with('/') || path.ends_with('/') || path.find('\0') != path.npos) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("containerRuntimeEndpoint \"{}\": only the absolute path of a unix "
                            "socket is supported, as in unix:///run/containerd/containerd.sock",
                            endpoint));
  }
  if (path.size() > kLongestPath) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("containerRuntimeEndpoint \"{}\": the path has {} bytes, a socket's "
                            "at most {}",
                            endpoint, path.size(), kLongestPath));
  }
  return std::string(path);
}

std::string TargetOf(std::string_view socket) {
  std::string target(kScheme);
  for (const char c : socket) {
    if (IsUnreserved(c)) {
      target += c;
    } else {
      target += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return target;
}

Result<std::unique_ptr<Calls>> Connect(const std::string& endpoint,
                                       ThreadsCanBeHad threads_can_be_had) {
  Result<std::string> socket = SocketOf(endpoint);
  if (!socket) return Fail(std::move(socket.error()));
  FileDescriptor timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer) return FailErrno("make a timer");
  return std::make_unique<Client>(*std::move(socket), std::move(timer),
                                  std::move(threads_can_be_had));
}

}  // namespace jettison::cri
