#include "http/client/transfers.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <type_traits>
#include <utility>

#include "http/endpoint.h"
#include "ports/system_error.h"

namespace jettison {

using std::chrono::steady_clock;

namespace {

// Connections that are kept open though nothing is under way on them.
constexpr long kIdleConnections = 4;
// More generations of certificates than there can be while a connection is open.
constexpr std::size_t kGenerations = 64;

// A text that libcurl wants to read from a file, in memory and nowhere else: a key that came
// without a file is not put on a disk. It is there for this process, as "/proc/self/fd/7".
Result<FileDescriptor> InMemory(std::string_view text) {
  FileDescriptor file(::memfd_create("jettison", MFD_CLOEXEC));
  if (!file) return FailErrno("keep a certificate in memory");
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written <= 0) return FailErrno("keep a certificate in memory");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

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
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return {ErrorCode::kInternal, fmt::format("the answer is not HTTP/1.1: {}", words)};
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return {ErrorCode::kUnavailable, std::string(words)};
    default: return {ErrorCode::kInternal, std::string(words)};
  }
}

}  // namespace

// One request on its way, with a handle of libcurl.
struct HttpTransfers::Pending {
  Pending(HttpExchange asked, OnEnd told, OnBytes on_bytes)
      : on_end(std::move(told)), asked_(std::move(asked)), on_bytes_(std::move(on_bytes)) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  // It must not be under way.
  ~Pending() {
    if (handle != nullptr) ::curl_easy_cleanup(handle);
    ::curl_slist_free_all(headers_);
    ::curl_slist_free_all(connect_to_);
  }

  // Once, before it is under way. `anew`: over a connection of its own making.
  [[nodiscard]] Result<void> Prepare(const HttpTransfers& transfers, bool anew) {
    if (handle == nullptr) return Fail(ErrorCode::kInternal, "no memory to ask with");
    const std::string& path = asked_.path;
    if (!path.starts_with('/') || path.find(' ') != std::string::npos || !IsOneLine(path)) {
      return Fail(ErrorCode::kInvalidArgument, "not a path that can be requested");
    }
    if (!IsOneLine(asked_.method + asked_.content_type + asked_.bearer_token)) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the method, content type and token must be one line");
    }
    Set(CURLOPT_PRIVATE, static_cast<void*>(this));
    Set(CURLOPT_FRESH_CONNECT, anew ? 1L : 0L);
    Set(CURLOPT_HEADERFUNCTION, &TakeHeader);
    Set(CURLOPT_HEADERDATA, static_cast<void*>(this));
    Set(CURLOPT_WRITEFUNCTION, &TakeBody);
    Set(CURLOPT_WRITEDATA, static_cast<void*>(this));
    Set(CURLOPT_ERRORBUFFER, words_.data());
    Set(CURLOPT_NOSIGNAL, 1L);
    Set(CURLOPT_PROXY, "");  // else the environment would name one
    Set(CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
    SetRoute(transfers);
    Set(CURLOPT_URL, (transfers.origin_ + path).c_str());
    Set(CURLOPT_PATH_AS_IS, 1L);
    Set(CURLOPT_USERAGENT, "jettison");
    Set(CURLOPT_CUSTOMREQUEST, asked_.method.c_str());
    Append(headers_, "Accept:" + (asked_.accept.empty() ? "" : " " + asked_.accept));
    if (!asked_.bearer_token.empty()) {
      Append(headers_, "Authorization: Bearer " + asked_.bearer_token);
    }
    if (!asked_.body.empty() || asked_.method == "POST") {
      Set(CURLOPT_POSTFIELDS, asked_.body.c_str());
      Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(asked_.body.size()));
      Append(headers_, "Expect:");  // the body is sent at once, however large
      Append(headers_, "Content-Type: " + asked_.content_type);
    }
    Set(CURLOPT_HTTPHEADER, headers_);
    if (fault_ == CURLE_OK) return {};
    return Fail(ErrorOf(fault_, ::curl_easy_strerror(fault_)));
  }
  // No new exchange uses this connection, which is closed when no exchange is under way on it. The
  // peer may be gone without notice, and HTTP/2 would send the next exchange over it, too.
  void DistrustConnection() { Set(CURLOPT_FORBID_REUSE, 1L); }

  // When the first of its limits of time is reached, as things stand.
  [[nodiscard]] steady_clock::time_point Due() const {
    if (refusal) return start_;
    auto due = start_ + asked_.timeout;
    if (!last_byte_ && asked_.answers_within > Duration::zero()) {
      due = std::min(due, start_ + asked_.answers_within);
    }
    if (last_byte_ && asked_.silence > Duration::zero()) {
      due = std::min(due, *last_byte_ + asked_.silence);
    }
    return due;
  }
  // Tells once that a stream has begun, and hands over the bytes that came since.
  void TellBytes() {
    if (!IsStreaming()) return;
    if (!std::exchange(has_begun_, true)) on_bytes_({});
    const std::string bytes = std::exchange(body_, {});
    if (!bytes.empty() && !is_cancelled) on_bytes_(bytes);  // whoever is told may cancel it
  }
  // Why there is no connection; 0: there is one, or it is under way. Too many that wait at a unix
  // socket already are EAGAIN: unlike on TCP the kernel does not tell when there is room (unix(7)),
  // and libcurl takes what it says for a connection that is being made.
  [[nodiscard]] int ConnectErrno() const {
    if (ended_by != CURLE_COULDNT_CONNECT) return 0;
    const auto why = Info<long>(CURLINFO_OS_ERRNO);
    return why == 0 ? EAGAIN : static_cast<int>(why);
  }

  // The answer, or why there is none.
  [[nodiscard]] Result<HttpAnswer> Outcome() const {
    if (refusal) return Fail(*refusal);
    if (is_too_large_ && IsStreaming()) {
      return Fail(ErrorCode::kInternal,
                  fmt::format("more than {} bytes of a stream at a time", asked_.most_bytes));
    }
    if (ended_by != CURLE_OK && !is_too_large_) {
      const CURLcode code = ended_by.value_or(CURLE_OPERATION_TIMEDOUT);
      if (const int why = ConnectErrno(); why != 0) {
        return Fail(ErrorCode::kUnavailable, std::generic_category().message(why));
      }
      return Fail(ErrorOf(code, words_[0] == '\0' ? ::curl_easy_strerror(code) : words_.data()));
    }
    const auto text = [](const char* value) { return std::string(value == nullptr ? "" : value); };
    HttpAnswer answer{.status = Status(),
                      .content_type = text(Info<const char*>(CURLINFO_CONTENT_TYPE)),
                      .location = text(Info<const char*>(CURLINFO_REDIRECT_URL)),
                      .is_too_large = is_too_large_};
    if (!is_too_large_) answer.body = body_;
    if (const auto seconds = Info<curl_off_t>(CURLINFO_RETRY_AFTER); seconds > 0) {
      answer.retry_after = std::chrono::seconds(std::min<curl_off_t>(seconds, 86'400));
    }
    return answer;
  }

  CURL* const handle = ::curl_easy_init();
  const OnEnd on_end;
  std::optional<Error> refusal;      // it could not be begun
  std::optional<CURLcode> ended_by;  // absent: it is under way
  bool is_cancelled = false;

 private:
  // An option of libcurl; the first that cannot be set is what Prepare returns.
  template <typename T>
  void Set(CURLoption option, T value) {
    static_assert(std::is_same_v<T, long> || std::is_same_v<T, curl_off_t> || std::is_pointer_v<T>);
    if (fault_ == CURLE_OK) fault_ = ::curl_easy_setopt(handle, option, value);
  }
  void Append(curl_slist*& list, const std::string& line) {
    curl_slist* longer = ::curl_slist_append(list, line.c_str());
    if (longer == nullptr && fault_ == CURLE_OK) fault_ = CURLE_OUT_OF_MEMORY;
    if (longer != nullptr) list = longer;
  }
  // What libcurl knows of the exchange; zero or null where that is nothing.
  template <typename T>
  [[nodiscard]] T Info(CURLINFO info) const {
    T value{};
    ::curl_easy_getinfo(handle, info, &value);
    return value;
  }
  [[nodiscard]] int Status() const { return static_cast<int>(Info<long>(CURLINFO_RESPONSE_CODE)); }

  void SetRoute(const HttpTransfers& to) {
    const bool is_tls = to.origin_.starts_with("https:");
    Set(CURLOPT_HTTP_VERSION,
        static_cast<long>(is_tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
    if (!to.unix_socket_.empty()) Set(CURLOPT_UNIX_SOCKET_PATH, to.unix_socket_.c_str());
    if (!to.connect_to_.empty()) {
      Append(connect_to_, "::" + to.connect_to_);
      Set(CURLOPT_CONNECT_TO, connect_to_);
    }
    if (!to.basic_credentials_.empty() && asked_.bearer_token.empty()) {
      Set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
      Set(CURLOPT_USERPWD, to.basic_credentials_.c_str());
    }
    if (!is_tls) return;
    // A connection that is being made is waited for, in case it takes them all.
    Set(CURLOPT_PIPEWAIT, 1L);
    Set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (to.tls_.ca) {
      Set(CURLOPT_CAINFO, to.NameOf(to.tls_.ca).c_str());
      Set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));  // where the system's are
    }
    if (!to.tls_.certificate) return;
    Set(CURLOPT_SSLCERT, to.NameOf(to.tls_.certificate).c_str());
    Set(CURLOPT_SSLKEY, to.NameOf(to.tls_.key).c_str());
  }

  [[nodiscard]] bool IsStreaming() const { return on_bytes_ && Status() >= 200 && Status() < 300; }

  static std::size_t TakeHeader(char* /*bytes*/, std::size_t one, std::size_t count, void* self) {
    static_cast<Pending*>(self)->last_byte_ = steady_clock::now();
    return one * count;
  }

  static std::size_t TakeBody(char* bytes, std::size_t one, std::size_t count, void* self) {
    auto& pending = *static_cast<Pending*>(self);
    const std::size_t size = one * count;
    pending.last_byte_ = steady_clock::now();
    if (size > pending.asked_.most_bytes - pending.body_.size()) {
      pending.is_too_large_ = true;
      return CURL_WRITEFUNC_ERROR;
    }
    pending.body_.append(bytes, size);
    return size;
  }

  const HttpExchange asked_;
  const OnBytes on_bytes_;
  CURLcode fault_ = CURLE_OK;
  curl_slist* headers_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> words_{};  // what libcurl says of an error
  const steady_clock::time_point start_ = steady_clock::now();
  std::optional<steady_clock::time_point> last_byte_;  // of the answer, once its head has begun
  bool has_begun_ = false;                             // and that was told
  bool is_too_large_ = false;
  std::string body_;
};

// Not every libcurl begins without a race between threads.
HttpTransfers::HttpTransfers() {
  static const CURLcode kBegun = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  if (kBegun == CURLE_OK) multi_ = ::curl_multi_init();
}

HttpTransfers::~HttpTransfers() {
  for (const auto& [id, exchange] : exchanges_)
    ::curl_multi_remove_handle(multi_, exchange->handle);
  exchanges_.clear();
  ::curl_multi_cleanup(multi_);
}

Result<std::unique_ptr<HttpTransfers>> HttpTransfers::Open(const HttpPeer& peer) {
  std::unique_ptr<HttpTransfers> transfers(new HttpTransfers);
  if (transfers->multi_ == nullptr) return Fail(ErrorCode::kInternal, "no memory to ask with");
  const auto endpoint = http::ParseEndpoint(peer.endpoint);
  if (!endpoint) return Fail(endpoint.error());
  http::Endpoint named = *endpoint;
  if (!peer.server_name.empty()) {
    named.host = peer.server_name;
    transfers->connect_to_ = endpoint->Authority();
  }
  transfers->unix_socket_ = endpoint->path;
  transfers->basic_credentials_ = peer.basic_credentials;
  const bool is_tls = endpoint->kind == http::Endpoint::Kind::kHttps;
  transfers->origin_ = fmt::format("{}://{}", is_tls ? "https" : "http", named.Authority());
  ::curl_multi_setopt(transfers->multi_, CURLMOPT_MAXCONNECTS, kIdleConnections);
  if (auto used = transfers->UseTls(peer); !used) return Fail(used.error());
  return transfers;
}

Result<void> HttpTransfers::UseTls(const HttpPeer& peer) {
  TlsInMemory tls;
  const std::pair<const std::string&, FileDescriptor&> texts[] = {
      {peer.ca_pem, tls.ca}, {peer.cert_pem, tls.certificate}, {peer.key_pem, tls.key}};
  for (const auto& [pem, file] : texts) {
    if (pem.empty()) continue;
    auto made = InMemory(pem);
    if (!made) return Fail(made.error());
    file = *std::move(made);
  }
  ++generation_;
  tls_before_ = std::exchange(tls_, std::move(tls));
  return {};
}

// libcurl uses a connection again for the same names of files, whatever is in them, and the number
// of a descriptor that was closed is given out again. So each generation of files has names of its
// own: the kernel passes over further slashes at the beginning of a path.
std::string HttpTransfers::NameOf(const FileDescriptor& file) const {
  return fmt::format("{}/proc/self/fd/{}", std::string(generation_ % kGenerations, '/'),
                     file.get());
}

HttpTransfers::Id HttpTransfers::Start(HttpExchange exchange, OnEnd on_end, OnBytes on_bytes) {
  const Id id = next_id_++;
  Pending& begun = *(exchanges_[id] = std::make_unique<Pending>(
                         std::move(exchange), std::move(on_end), std::move(on_bytes)));
  if (auto ready = begun.Prepare(*this, std::exchange(is_silent_, false)); !ready) {
    begun.refusal = ready.error();
  } else if (const CURLMcode code = ::curl_multi_add_handle(multi_, begun.handle);
             code != CURLM_OK) {
    begun.refusal = Error{ErrorCode::kInternal, ::curl_multi_strerror(code)};
  }
  return id;
}

void HttpTransfers::Cancel(Id id) {
  auto cancelled = exchanges_.extract(id);
  if (!cancelled) return;
  cancelled.mapped()->is_cancelled = true;
  ::curl_multi_remove_handle(multi_, cancelled.mapped()->handle);
  gone_.push_back(std::move(cancelled.mapped()));
}

void HttpTransfers::Turn(Duration most) {
  const auto before = steady_clock::now();
  for (const auto& [id, exchange] : exchanges_) {
    most = std::min<Duration>(most, exchange->Due() - before);
  }
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(most).count();
  ::curl_multi_poll(multi_, nullptr, 0,
                    static_cast<int>(std::clamp<std::int64_t>(wait, 0, 3'600'000)), nullptr);
  int running = 0;
  ::curl_multi_perform(multi_, &running);
  while (const CURLMsg* message = ::curl_multi_info_read(multi_, &running)) {
    if (message->msg != CURLMSG_DONE) continue;
    char* pending = nullptr;
    ::curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &pending);
    reinterpret_cast<Pending*>(pending)->ended_by = message->data.result;
  }
  std::vector<Id> ids;
  for (const auto& [id, exchange] : exchanges_) ids.push_back(id);
  for (const Id id : ids) {
    // Whoever is told may cancel another.
    if (const auto at = exchanges_.find(id); at != exchanges_.end()) at->second->TellBytes();
  }
  const auto now = steady_clock::now();
  for (const Id id : ids) TellEnd(id, now);
  gone_.clear();
}

void HttpTransfers::TellEnd(Id id, steady_clock::time_point now) {
  const auto at = exchanges_.find(id);
  if (at == exchanges_.end() || (!at->second->ended_by && at->second->Due() > now)) return;
  const auto ended = exchanges_.extract(at);
  Pending& exchange = *ended.mapped();
  if (!exchange.refusal && !exchange.ended_by) {
    exchange.DistrustConnection();
    is_silent_ = true;
  }
  ::curl_multi_remove_handle(multi_, exchange.handle);
  connect_errno_ = exchange.ConnectErrno();
  exchange.on_end(exchange.Outcome());
}

void HttpTransfers::Wake() {
  ::curl_multi_wakeup(multi_);
}

}  // namespace jettison
