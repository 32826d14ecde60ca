#include "http/client/curl_request.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <system_error>

namespace jettison::http {
namespace {

// How long a peer that has vanished is waited for: about half a minute on an idle connection, or
// this long after data was sent that was not acknowledged.
constexpr int kIdleSeconds = 20;
constexpr int kProbeSeconds = 5;
constexpr unsigned kUnacknowledgedMilliseconds = 10'000;

template <typename T>
void SetSocketOption(int fd, int level, int option, T value) {
  ::setsockopt(fd, level, option, &value, sizeof value);  // without it, TCP's own limits hold
}

// libcurl's own sockets would be open in the programs that are started meanwhile.
curl_socket_t OpenSocket(void* /*self*/, curlsocktype /*purpose*/, curl_sockaddr* address) {
  const int fd = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (fd < 0) return CURL_SOCKET_BAD;
  if (address->family == AF_UNIX) return fd;
  SetSocketOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetSocketOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, kIdleSeconds);
  SetSocketOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, kProbeSeconds);
  SetSocketOption(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnacknowledgedMilliseconds);
  return fd;
}

bool IsOneLine(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
}

Error ErrorOf(CURLcode code, std::string_view words) {
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
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return {ErrorCode::kUnavailable, std::string(words)};
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return {ErrorCode::kInternal, fmt::format("the answer is not HTTP/1.1: {}", words)};
    default: return {ErrorCode::kInternal, std::string(words)};
  }
}

}  // namespace

CurlHandle::~CurlHandle() {
  if (handle_ != nullptr) ::curl_easy_cleanup(handle_);
  ::curl_slist_free_all(headers_);
  ::curl_slist_free_all(connect_to_);
}

void CurlHandle::Append(curl_slist*& list, const std::string& line) {
  curl_slist* longer = ::curl_slist_append(list, line.c_str());
  if (longer == nullptr && fault_ == CURLE_OK) fault_ = CURLE_OUT_OF_MEMORY;
  if (longer != nullptr) list = longer;
}

Result<void> CurlHandle::Prepare(const CurlRequest& request) {
  if (handle_ == nullptr) return Fail(ErrorCode::kInternal, "no memory to ask with");
  Set(CURLOPT_ERRORBUFFER, words_.data());
  Set(CURLOPT_NOSIGNAL, 1L);
  Set(CURLOPT_PROXY, "");  // else the environment would name one
  Set(CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
  Set(CURLOPT_HTTP_VERSION,
      static_cast<long>(request.may_be_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  // A connection that is being made is waited for, in case it takes them all.
  if (request.may_be_http2) Set(CURLOPT_PIPEWAIT, 1L);
  if (!request.unix_socket.empty()) Set(CURLOPT_UNIX_SOCKET_PATH, request.unix_socket.c_str());
  if (!request.connect_to.empty()) {
    Append(connect_to_, "::" + request.connect_to);
    Set(CURLOPT_CONNECT_TO, connect_to_);
  }
  SetTls(request);
  if (!request.basic_credentials.empty()) {
    Set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    Set(CURLOPT_USERPWD, request.basic_credentials.c_str());
  }
  Set(CURLOPT_URL, request.url.c_str());
  Set(CURLOPT_PATH_AS_IS, 1L);
  Set(CURLOPT_USERAGENT, "jettison");
  Set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  for (const std::string& header : request.headers) Append(headers_, header);
  if (request.body != nullptr) {
    Set(CURLOPT_POSTFIELDS, request.body->c_str());
    Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
    Append(headers_, "Expect:");  // the body is sent at once, however large
  }
  Set(CURLOPT_HTTPHEADER, headers_);
  if (fault_ == CURLE_OK) return {};
  return Fail(ErrorOf(fault_, ::curl_easy_strerror(fault_)));
}

void CurlHandle::SetTls(const CurlRequest& request) {
  if (!request.url.starts_with("https:")) return;
  Set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!request.ca_file.empty()) {
    Set(CURLOPT_CAINFO, request.ca_file.c_str());
    Set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));  // where the system's are
  }
  if (request.cert_file.empty()) return;
  Set(CURLOPT_SSLCERT, request.cert_file.c_str());
  Set(CURLOPT_SSLKEY, request.key_file.c_str());
}

int CurlHandle::Status() const {
  long status = 0;
  ::curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

int CurlHandle::ConnectErrno() const {
  long why = 0;
  ::curl_easy_getinfo(handle_, CURLINFO_OS_ERRNO, &why);
  return static_cast<int>(why);
}

Error CurlHandle::FailureOf(CURLcode code) const {
  if (const int why = ConnectErrno(); code == CURLE_COULDNT_CONNECT && why != 0) {
    return {ErrorCode::kUnavailable, std::generic_category().message(why)};
  }
  const std::string_view own(words_.data());
  return ErrorOf(code, own.empty() ? ::curl_easy_strerror(code) : own);
}

Result<void> CanBeSent(std::string_view path, const std::vector<std::string_view>& lines) {
  if (!path.starts_with('/') || path.find(' ') != std::string_view::npos || !IsOneLine(path)) {
    return Fail(ErrorCode::kInvalidArgument, "not a path that can be requested");
  }
  if (std::ranges::all_of(lines, IsOneLine)) return {};
  return Fail(ErrorCode::kInvalidArgument, "the method, content type and token must be one line");
}

}  // namespace jettison::http
