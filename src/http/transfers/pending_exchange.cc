#include "http/transfers/pending_exchange.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "http/client/client_error.h"

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

bool IsSuccess(int status) {
  return status >= 200 && status < 300;
}

}  // namespace

PendingExchange::PendingExchange(const CurlLibrary& curl, HttpExchange asked,
                                 HttpTransfers::OnEnd on_end, HttpTransfers::OnBytes on_bytes)
    : curl_(curl),
      asked_(std::move(asked)),
      on_end_(std::move(on_end)),
      on_bytes_(std::move(on_bytes)),
      handle_(curl.easy_init()) {}

PendingExchange::~PendingExchange() {
  if (handle_ != nullptr) curl_.easy_cleanup(handle_);
  curl_.slist_free_all(headers_);
  curl_.slist_free_all(addresses_);
}

Result<void> PendingExchange::Prepare(const PeerRoute& route, bool anew) {
  if (handle_ == nullptr) return Fail(ErrorCode::kInternal, "no memory to ask with");
  SetConnection(route);
  if (anew) Set(CURLOPT_FRESH_CONNECT, 1L);
  if (route.is_tls) SetTls(route);
  SetQuestion(route);
  if (fault_ == CURLE_OK) return {};
  return Fail(ErrorOfCurl(fault_, curl_.easy_strerror(fault_)));
}

PendingExchange& PendingExchange::Of(const CurlLibrary& curl, CURL* handle) {
  char* self = nullptr;
  curl.easy_getinfo(handle, CURLINFO_PRIVATE, &self);
  return *reinterpret_cast<PendingExchange*>(self);
}

void PendingExchange::SetHeader(const std::string& line) {
  curl_slist* longer = curl_.slist_append(headers_, line.c_str());
  if (longer == nullptr && fault_ == CURLE_OK) fault_ = CURLE_OUT_OF_MEMORY;
  if (longer != nullptr) headers_ = longer;
}

void PendingExchange::SetConnection(const PeerRoute& route) {
  Set(CURLOPT_PRIVATE, static_cast<void*>(this));
  Set(CURLOPT_ERRORBUFFER, words_.data());
  Set(CURLOPT_NOSIGNAL, 1L);
  Set(CURLOPT_PROXY, "");  // else the environment would name one
  Set(CURLOPT_OPENSOCKETFUNCTION, &PendingExchange::OpenSocket);
  Set(CURLOPT_HTTP_VERSION,
      static_cast<long>(route.is_tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  // A connection that is being made is waited for, in case it takes them all.
  Set(CURLOPT_PIPEWAIT, 1L);
  if (route.known_addresses.empty()) return;
  addresses_ = curl_.slist_append(nullptr, route.known_addresses.c_str());
  if (addresses_ == nullptr) fault_ = CURLE_OUT_OF_MEMORY;
  Set(CURLOPT_RESOLVE, addresses_);
}

void PendingExchange::SetTls(const PeerRoute& route) {
  Set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!route.ca_file.empty()) {
    Set(CURLOPT_CAINFO, route.ca_file.c_str());
    Set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));  // where the system's are
  }
  if (route.cert_file.empty()) return;
  Set(CURLOPT_SSLCERT, route.cert_file.c_str());
  Set(CURLOPT_SSLKEY, route.key_file.c_str());
}

void PendingExchange::SetQuestion(const PeerRoute& route) {
  Set(CURLOPT_URL, (route.origin + asked_.path).c_str());
  Set(CURLOPT_PATH_AS_IS, 1L);
  Set(CURLOPT_USERAGENT, "jettison");
  Set(CURLOPT_CUSTOMREQUEST, asked_.method.c_str());
  SetHeader("Accept: application/json");
  if (!asked_.bearer_token.empty()) SetHeader("Authorization: Bearer " + asked_.bearer_token);
  if (!asked_.body.empty()) {
    Set(CURLOPT_POSTFIELDS, asked_.body.c_str());
    if (fault_ == CURLE_OK) {
      fault_ = curl_.easy_setopt(handle_, CURLOPT_POSTFIELDSIZE_LARGE,
                                 static_cast<curl_off_t>(asked_.body.size()));
    }
    SetHeader("Content-Type: " + asked_.content_type);
    SetHeader("Expect:");  // the body is sent at once
  }
  Set(CURLOPT_HTTPHEADER, headers_);
  Set(CURLOPT_HEADERFUNCTION, &PendingExchange::TakeHeader);
  Set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  Set(CURLOPT_WRITEFUNCTION, &PendingExchange::TakeBody);
  Set(CURLOPT_WRITEDATA, static_cast<void*>(this));
}

PendingExchange::Time PendingExchange::Due() const {
  Time due = start_ + asked_.timeout;
  if (!last_byte_ && asked_.answers_within > Duration::zero()) {
    due = std::min(due, start_ + asked_.answers_within);
  }
  if (last_byte_ && asked_.silence > Duration::zero()) {
    due = std::min(due, *last_byte_ + asked_.silence);
  }
  return due;
}

bool PendingExchange::was_unreachable() const {
  return ended_by_ == CURLE_COULDNT_CONNECT || ended_by_ == CURLE_COULDNT_RESOLVE_HOST;
}

int PendingExchange::Status() const {
  long status = 0;
  curl_.easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

bool PendingExchange::IsStreaming() const {
  return on_bytes_ && IsSuccess(Status());
}

void PendingExchange::TellBegin() {
  if (!has_begun_ && IsStreaming()) {
    has_begun_ = true;
    on_bytes_({});
  }
}

void PendingExchange::TellBytes() {
  if (body_.empty() || !IsStreaming()) return;
  const std::string bytes = std::exchange(body_, {});
  on_bytes_(bytes);
}

Result<HttpAnswer> PendingExchange::Outcome() const {
  const bool is_whole = ended_by_ == CURLE_OK;
  if (!is_whole && !(is_too_large_ && !IsStreaming())) return Fail(Failure());
  HttpAnswer answer{.status = Status(), .body = {}, .is_too_large = is_too_large_};
  if (!is_too_large_) answer.body = body_;
  curl_off_t seconds = 0;
  if (curl_.easy_getinfo(handle_, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK && seconds > 0) {
    answer.retry_after = std::chrono::seconds(std::min<curl_off_t>(seconds, 86'400));
  }
  return answer;
}

Error PendingExchange::Failure() const {
  if (is_too_large_) {
    return {ErrorCode::kInternal,
            fmt::format("more than {} bytes of a stream at a time", asked_.most_bytes)};
  }
  const CURLcode code = ended_by_.value_or(CURLE_OPERATION_TIMEDOUT);
  const std::string_view own(words_.data());
  const std::string_view words = own.empty() ? curl_.easy_strerror(code) : own;
  switch (code) {
    case CURLE_COULDNT_CONNECT: {
      long why = 0;
      curl_.easy_getinfo(handle_, CURLINFO_OS_ERRNO, &why);
      return {
          ErrorCode::kUnavailable,
          why == 0 ? std::string(words) : std::generic_category().message(static_cast<int>(why))};
    }
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return {ErrorCode::kUnavailable, std::string(words)};
    default: return ErrorOfCurl(code, words);
  }
}

// libcurl's own sockets would be open in the programs that are started meanwhile.
curl_socket_t PendingExchange::OpenSocket(void* /*self*/, curlsocktype /*purpose*/,
                                          curl_sockaddr* address) {
  const int fd = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (fd < 0) return CURL_SOCKET_BAD;
  SetSocketOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetSocketOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, kIdleSeconds);
  SetSocketOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, kProbeSeconds);
  SetSocketOption(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnacknowledgedMilliseconds);
  return fd;
}

std::size_t PendingExchange::TakeHeader(char* /*bytes*/, std::size_t one, std::size_t count,
                                        void* self) {
  static_cast<PendingExchange*>(self)->last_byte_ = std::chrono::steady_clock::now();
  return one * count;
}

std::size_t PendingExchange::TakeBody(char* bytes, std::size_t one, std::size_t count, void* self) {
  auto& exchange = *static_cast<PendingExchange*>(self);
  const std::size_t size = one * count;
  exchange.last_byte_ = std::chrono::steady_clock::now();
  if (size > exchange.asked_.most_bytes - exchange.body_.size()) {
    exchange.is_too_large_ = true;
    return CURL_WRITEFUNC_ERROR;
  }
  exchange.body_.append(bytes, size);
  return size;
}

}  // namespace jettison::http
