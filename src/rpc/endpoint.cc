#include "rpc/endpoint.h"

#include <fmt/format.h>
#include <grpcpp/support/status_code_enum.h>
#include <sys/un.h>

namespace jettison::cri {
namespace {

constexpr std::string_view kScheme = "unix://";
constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

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

Error ErrorOf(const FailedCall& failed) {
  if (failed.status == grpc::UNIMPLEMENTED && !failed.of_cri) {
    return Error{ErrorCode::kNotFound, "the runtime has no API of containerd's"}.In(failed.call);
  }
  return Error{CodeOf(failed.status), SentenceOf(failed)}.In(failed.call);
}

}  // namespace jettison::cri
