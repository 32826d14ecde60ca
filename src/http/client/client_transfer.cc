#include "http/client/client_transfer.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "http/client/client_error.h"
#include "http/client/host_addresses.h"

namespace jettison::http {
namespace {

long MillisecondsOf(Duration timeout) {
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  return static_cast<long>(std::max<std::int64_t>(whole, 1));  // 0 is no limit for libcurl
}

}  // namespace

Transfer::Transfer(const CurlLibrary& curl, const HttpTarget& target, const Endpoint& endpoint)
    : curl_(curl), target_(target), endpoint_(endpoint), handle_(curl.easy_init()) {}

Transfer::~Transfer() {
  if (handle_ != nullptr) curl_.easy_cleanup(handle_);
  curl_.slist_free_all(headers_);
  curl_.slist_free_all(addresses_);
}

Result<HttpResponse> Transfer::Perform(const Question& question) {
  if (handle_ == nullptr) return Fail(ErrorCode::kInternal, "no memory to ask with");
  if (auto prepared = Prepare(question); !prepared) {
    return Fail(prepared.error().In(target_.endpoint));
  }
  if (const CURLcode code = PerformInTime(); code != CURLE_OK) return Fail(Failure(code));
  return TakeAnswer();
}

CURLcode Transfer::PerformInTime() {
  const auto deadline = std::chrono::steady_clock::now() + target_.timeout;
  for (;;) {
    Set(CURLOPT_TIMEOUT_MS, MillisecondsOf(deadline - std::chrono::steady_clock::now()));
    const CURLcode code = curl_.easy_perform(handle_);
    if (!IsQueueFull(code) || std::chrono::steady_clock::now() >= deadline) return code;
    ::poll(nullptr, 0, 10);
  }
}

// Too many wait already; unlike on TCP the kernel does not tell when there is room (unix(7)), and
// libcurl takes what it says for a connection that is being made.
bool Transfer::IsQueueFull(CURLcode code) const {
  if (endpoint_.kind != Endpoint::Kind::kUnix || code != CURLE_COULDNT_CONNECT) return false;
  const int why = ConnectErrno();
  return why == 0 || why == EAGAIN;
}

int Transfer::ConnectErrno() const {
  long errno_value = 0;
  curl_.easy_getinfo(handle_, CURLINFO_OS_ERRNO, &errno_value);
  return static_cast<int>(errno_value);
}

Result<void> Transfer::Prepare(const Question& question) {
  SetConnection();
  if (endpoint_.kind != Endpoint::Kind::kUnix) {
    if (auto set = SetAddresses(); !set) return set;
  }
  if (endpoint_.kind == Endpoint::Kind::kHttps) SetTls();
  SetCredentials();
  SetQuestion(question);
  if (fault_ == CURLE_OK) return {};
  return Fail(ErrorOfCurl(fault_, curl_.easy_strerror(fault_)));
}

void Transfer::SetHeader(const std::string& line) {
  curl_slist* longer = curl_.slist_append(headers_, line.c_str());
  if (longer == nullptr && fault_ == CURLE_OK) fault_ = CURLE_OUT_OF_MEMORY;
  if (longer != nullptr) headers_ = longer;
}

void Transfer::SetConnection() {
  Set(CURLOPT_ERRORBUFFER, words_.data());
  Set(CURLOPT_NOSIGNAL, 1L);
  Set(CURLOPT_PROXY, "");  // else the environment would name one
  Set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  Set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::OpenSocket);
  if (endpoint_.kind == Endpoint::Kind::kUnix) {
    Set(CURLOPT_UNIX_SOCKET_PATH, endpoint_.path.c_str());
  }
}

// libcurl would look a name up on a thread of its own, which may be refused.
Result<void> Transfer::SetAddresses() {
  if (IsIpAddress(endpoint_.host)) return {};
  const auto addresses = AddressesOf(endpoint_.host);
  if (!addresses) return Fail(addresses.error());
  const std::string known = KnownAddresses(endpoint_.host, endpoint_.port, *addresses);
  addresses_ = curl_.slist_append(nullptr, known.c_str());
  if (addresses_ == nullptr) fault_ = CURLE_OUT_OF_MEMORY;
  Set(CURLOPT_RESOLVE, addresses_);
  return {};
}

void Transfer::SetTls() {
  Set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!target_.server_ca_file.empty()) {
    Set(CURLOPT_CAINFO, target_.server_ca_file.c_str());
    Set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));  // where the system's are
  }
  if (target_.cert_file.empty()) return;
  Set(CURLOPT_SSLCERT, target_.cert_file.c_str());
  Set(CURLOPT_SSLKEY, target_.private_key_file.c_str());
}

void Transfer::SetCredentials() {
  if (!target_.bearer_token.empty()) {
    SetHeader("Authorization: Bearer " + target_.bearer_token);
  } else if (!target_.basic_credentials.empty()) {
    Set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    Set(CURLOPT_USERPWD, target_.basic_credentials.c_str());
  }
}

void Transfer::SetQuestion(const Question& question) {
  const bool is_tls = endpoint_.kind == Endpoint::Kind::kHttps;
  const std::string url =
      fmt::format("{}://{}{}", is_tls ? "https" : "http", endpoint_.Authority(), question.path);
  Set(CURLOPT_URL, url.c_str());
  Set(CURLOPT_PATH_AS_IS, 1L);
  Set(CURLOPT_USERAGENT, "jettison");
  SetHeader("Connection: close");
  SetHeader("Accept:");  // none of libcurl's own
  if (question.body != nullptr) {
    Set(CURLOPT_POSTFIELDS, question.body->c_str());
    Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(question.body->size()));
    SetHeader("Content-Type: " + question.content_type);
    SetHeader("Expect:");  // the body is sent at once, however large
  }
  Set(CURLOPT_HTTPHEADER, headers_);
  Set(CURLOPT_WRITEFUNCTION, &Transfer::TakeBody);
  Set(CURLOPT_WRITEDATA, this);
}

Error Transfer::Failure(CURLcode code) const {
  if (is_too_large_) {
    return Error{ErrorCode::kInternal,
                 fmt::format("the answer has more than {} bytes", target_.max_response_bytes)}
        .In(target_.endpoint);
  }
  if (code == CURLE_COULDNT_CONNECT) {
    const int why = ConnectErrno();
    return Unreachable(target_.endpoint, why == 0 ? EAGAIN : why, target_.is_agent);
  }
  const std::string_view own(words_.data());
  return ErrorOfCurl(code, own.empty() ? curl_.easy_strerror(code) : own).In(target_.endpoint);
}

HttpResponse Transfer::TakeAnswer() {
  long status = 0;
  const char* type = nullptr;
  curl_.easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  curl_.easy_getinfo(handle_, CURLINFO_CONTENT_TYPE, &type);
  HttpResponse answer{.status = static_cast<int>(status),
                      .content_type = type == nullptr ? "" : type,
                      .body = std::move(body_)};
  const char* elsewhere = nullptr;
  curl_.easy_getinfo(handle_, CURLINFO_REDIRECT_URL, &elsewhere);
  if (elsewhere != nullptr) answer.headers.emplace_back("Location", elsewhere);
  return answer;
}

// libcurl's own sockets would be open in the programs that are started meanwhile.
curl_socket_t Transfer::OpenSocket(void* /*self*/, curlsocktype /*purpose*/,
                                   curl_sockaddr* address) {
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::size_t Transfer::TakeBody(char* bytes, std::size_t one, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  const std::size_t size = one * count;
  if (transfer.target_.take_body) {
    long status = 0;
    transfer.curl_.easy_getinfo(transfer.handle_, CURLINFO_RESPONSE_CODE, &status);
    if (status == 200) {
      return transfer.target_.take_body({bytes, size}) ? size : CURL_WRITEFUNC_ERROR;
    }
  }
  if (size > transfer.target_.max_response_bytes - transfer.body_.size()) {
    transfer.is_too_large_ = true;
    return CURL_WRITEFUNC_ERROR;
  }
  transfer.body_.append(bytes, size);
  return size;
}

}  // namespace jettison::http
