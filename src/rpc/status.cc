#include "rpc/status.h"

#include <fmt/format.h>
#include <grpcpp/support/status_code_enum.h>

namespace jettison::cri {
namespace {

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

Error ErrorOf(const FailedCall& failed) {
  if (failed.status == grpc::UNIMPLEMENTED && !failed.of_cri) {
    return Error{ErrorCode::kNotFound, "the runtime has no API of containerd's"}.In(failed.call);
  }
  return Error{CodeOf(failed.status), SentenceOf(failed)}.In(failed.call);
}

}  // namespace jettison::cri
