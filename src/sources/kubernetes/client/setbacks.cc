#include "sources/kubernetes/client/setbacks.h"

#include <fmt/format.h>

#include <algorithm>

namespace jettison::kube {
namespace {

using Kind = Setback::Kind;

Kind KindOf(const ApiStatus& status) {
  if (status.code == 410 || status.reason == "Expired" || status.reason == "Gone") {
    return Kind::kExpired;
  }
  if (status.code == 413) return Kind::kTooLarge;
  const auto is_too_new = [](const StatusCause& cause) {
    return cause.reason == "ResourceVersionTooLarge";
  };
  if (std::ranges::any_of(status.causes, is_too_new)) return Kind::kTooNew;
  return status.code >= 500 || status.code == 0 ? Kind::kAway : Kind::kRefused;
}

ErrorCode CodeOf(const ApiStatus& status) {
  if (status.code == 401 || status.code == 403) return ErrorCode::kPermissionDenied;
  return status.code == 404 ? ErrorCode::kNotFound : ErrorCode::kUnavailable;
}

}  // namespace

Failure FailureOf(const ApiStatus& status) {
  const std::string words = status.message.empty() ? "" : ": " + status.message;
  return {.setback = {.kind = KindOf(status), .retry_after = status.retry_after},
          .error = {CodeOf(status), fmt::format("HTTP {}{}", status.code, words)},
          .is_forbidden = status.code == 403};
}

Failure FailureOf(const ApiReply& reply) {
  ApiStatus status = StatusOf(reply.status, reply.body);
  status.code = reply.status;
  if (reply.retry_after) status.retry_after = reply.retry_after;
  return FailureOf(status);
}

Failure FailureOf(const Error& error) {
  return {.setback = {.kind = Kind::kAway, .retry_after = {}},
          .error = error,
          .is_untrusted = error.code == ErrorCode::kPermissionDenied};
}

}  // namespace jettison::kube
