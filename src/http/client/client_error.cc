#include "http/client/client_error.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace jettison::http {

Error Unreachable(const std::string& endpoint, int errno_value, bool is_agent) {
  const std::string why = std::generic_category().message(errno_value);
  if (!is_agent) {
    return {ErrorCode::kUnavailable, fmt::format("nobody answers at {}: {}", endpoint, why)};
  }
  if (errno_value == EACCES || errno_value == EPERM) {
    return {
        ErrorCode::kPermissionDenied,
        fmt::format("{}: {}; ask as root, or as a member of the socket's group", endpoint, why)};
  }
  if (errno_value == ENOENT || errno_value == ECONNREFUSED) {
    return {ErrorCode::kUnavailable,
            fmt::format("no agent answers at {}: {}; is it running (jettison run), and is this "
                        "where its configuration has it listen (http)?",
                        endpoint, why)};
  }
  return {ErrorCode::kUnavailable, fmt::format("no agent answers at {}: {}", endpoint, why)};
}

Error ErrorOfCurl(int code, std::string_view words) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return {ErrorCode::kDeadlineExceeded, "the server did not answer in time"};
    case CURLE_PEER_FAILED_VERIFICATION:
      return {ErrorCode::kPermissionDenied,
              fmt::format("the server is not who it should be: {}", words)};
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
      return {ErrorCode::kInvalidArgument, fmt::format("use these certificates: {}", words)};
    case CURLE_SSL_CONNECT_ERROR:
      return {ErrorCode::kUnavailable, fmt::format("TLS failed: {}", words)};
    case CURLE_GOT_NOTHING:
      return {ErrorCode::kUnavailable, "the server closed the connection without an answer"};
    case CURLE_PARTIAL_FILE:
      return {ErrorCode::kUnavailable,
              "the server closed the connection in the middle of its answer"};
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      return {ErrorCode::kUnavailable, fmt::format("the server broke off: {}", words)};
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return {ErrorCode::kInternal, fmt::format("the answer is not HTTP/1.1: {}", words)};
    default: return {ErrorCode::kInternal, std::string(words)};
  }
}

}  // namespace jettison::http
