#include "http/client/transfers.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "http/endpoint.h"
#include "ports/system_error.h"

namespace jettison {

using http::CurlHandle;
using http::CurlRequest;
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

}  // namespace

// One request on its way.
class HttpTransfers::Pending {
 public:
  Pending(HttpExchange asked, OnEnd on_end, OnBytes on_bytes)
      : asked_(std::move(asked)), on_end_(std::move(on_end)), on_bytes_(std::move(on_bytes)) {}

  // Once, before it is under way. `route` has what all exchanges with the peer share, and its
  // origin for a URL. `anew`: over a connection of its own making.
  [[nodiscard]] Result<void> Prepare(const CurlRequest& route, bool anew) {
    auto fit =
        http::CanBeSent(asked_.path, {asked_.method, asked_.content_type, asked_.bearer_token});
    if (!fit) return fit;
    CurlRequest request = route;
    request.method = asked_.method;
    request.url += asked_.path;
    request.headers = {"Accept: application/json"};
    if (!asked_.bearer_token.empty()) {
      request.headers.push_back("Authorization: Bearer " + asked_.bearer_token);
    }
    if (!asked_.body.empty()) {
      request.body = &asked_.body;
      request.headers.push_back("Content-Type: " + asked_.content_type);
    }
    handle_.Set(CURLOPT_PRIVATE, static_cast<void*>(this));
    handle_.Set(CURLOPT_FRESH_CONNECT, anew ? 1L : 0L);
    handle_.Set(CURLOPT_HEADERFUNCTION, &TakeHeader);
    handle_.Set(CURLOPT_HEADERDATA, static_cast<void*>(this));
    handle_.Set(CURLOPT_WRITEFUNCTION, &TakeBody);
    handle_.Set(CURLOPT_WRITEDATA, static_cast<void*>(this));
    return handle_.Prepare(request);
  }
  [[nodiscard]] CURL* handle() const { return handle_.get(); }
  // The exchange of a handle.
  [[nodiscard]] static Pending& Of(CURL* handle) {
    char* self = nullptr;
    ::curl_easy_getinfo(handle, CURLINFO_PRIVATE, &self);
    return *reinterpret_cast<Pending*>(self);
  }
  // No new exchange uses this connection, which is closed when no exchange is under way on it. The
  // peer may be gone without notice, and HTTP/2 would send the next exchange over it, too.
  void DistrustConnection() { handle_.Set(CURLOPT_FORBID_REUSE, 1L); }

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
  // Tells once that a stream has begun.
  void TellBegin() {
    if (has_begun_ || !IsStreaming()) return;
    has_begun_ = true;
    on_bytes_({});
  }
  // Hands over the bytes of a stream that came since.
  void TellBytes() {
    if (body_.empty() || !IsStreaming()) return;
    const std::string bytes = std::exchange(body_, {});
    on_bytes_(bytes);
  }
  // Hands over the end: the answer, or why there is none.
  void TellEnd() const { on_end_(Outcome()); }

  std::optional<Error> refusal;      // it could not be begun
  std::optional<CURLcode> ended_by;  // absent: it is under way

 private:
  [[nodiscard]] bool IsStreaming() const {
    return on_bytes_ && handle_.Status() >= 200 && handle_.Status() < 300;
  }

  [[nodiscard]] Result<HttpAnswer> Outcome() const {
    if (refusal) return Fail(*refusal);
    if (is_too_large_ && IsStreaming()) {
      return Fail(ErrorCode::kInternal,
                  fmt::format("more than {} bytes of a stream at a time", asked_.most_bytes));
    }
    if (ended_by != CURLE_OK && !is_too_large_) {
      return Fail(handle_.FailureOf(ended_by.value_or(CURLE_OPERATION_TIMEDOUT)));
    }
    HttpAnswer answer{.status = handle_.Status(), .body = {}, .is_too_large = is_too_large_};
    if (!is_too_large_) answer.body = body_;
    curl_off_t seconds = 0;
    if (::curl_easy_getinfo(handle_.get(), CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK &&
        seconds > 0) {
      answer.retry_after = std::chrono::seconds(std::min<curl_off_t>(seconds, 86'400));
    }
    return answer;
  }

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
  const OnEnd on_end_;
  const OnBytes on_bytes_;
  CurlHandle handle_;
  const steady_clock::time_point start_ = steady_clock::now();
  std::optional<steady_clock::time_point> last_byte_;  // of the answer, once its head has begun
  bool has_begun_ = false;                             // and that was told
  bool is_too_large_ = false;
  std::string body_;
};

HttpTransfers::HttpTransfers() : multi_(::curl_multi_init()) {}

HttpTransfers::~HttpTransfers() {
  for (const auto& [id, exchange] : exchanges_) Detach(*exchange);
  exchanges_.clear();
  ::curl_multi_cleanup(multi_);
}

Result<std::unique_ptr<HttpTransfers>> HttpTransfers::Open(const HttpPeer& peer) {
  std::unique_ptr<HttpTransfers> transfers(new HttpTransfers);
  if (auto set_up = transfers->SetUp(peer); !set_up) return Fail(set_up.error());
  return transfers;
}

Result<void> HttpTransfers::SetUp(const HttpPeer& peer) {
  if (multi_ == nullptr) return Fail(ErrorCode::kInternal, "no memory to ask with");
  const auto endpoint = http::ParseEndpoint(peer.endpoint);
  if (!endpoint) return Fail(endpoint.error());
  if (endpoint->kind == http::Endpoint::Kind::kUnix) {
    return Fail(ErrorCode::kInvalidArgument, peer.endpoint + " is not the address of a host");
  }
  http::Endpoint named = *endpoint;
  if (!peer.server_name.empty()) {
    named.host = peer.server_name;
    route_.connect_to = endpoint->Authority();
  }
  route_.may_be_http2 = endpoint->kind == http::Endpoint::Kind::kHttps;
  route_.url = fmt::format("{}://{}", route_.may_be_http2 ? "https" : "http", named.Authority());
  ::curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kIdleConnections);
  return UseTls(peer);
}

// libcurl uses a connection again for the same names of files, whatever is in them, and the number
// of a descriptor that was closed is given out again. So each generation of files has names of its
// own: the kernel passes over further slashes at the beginning of a path.
Result<void> HttpTransfers::UseTls(const HttpPeer& peer) {
  CurlRequest route = route_;
  const std::string slashes(++generation_ % kGenerations, '/');
  std::vector<FileDescriptor> files;
  const std::pair<const std::string*, std::string*> texts[] = {{&peer.ca_pem, &route.ca_file},
                                                               {&peer.cert_pem, &route.cert_file},
                                                               {&peer.key_pem, &route.key_file}};
  for (const auto& [pem, path] : texts) {
    path->clear();
    if (pem->empty()) continue;
    auto file = InMemory(*pem);
    if (!file) return Fail(file.error());
    *path = fmt::format("{}/proc/self/fd/{}", slashes, file->get());
    files.push_back(*std::move(file));
  }
  route_ = std::move(route);
  files_before_ = std::exchange(files_, std::move(files));
  return {};
}

HttpTransfers::Id HttpTransfers::Start(HttpExchange exchange, OnEnd on_end, OnBytes on_bytes) {
  const Id id = next_id_++;
  Pending& begun = *(exchanges_[id] = std::make_unique<Pending>(
                         std::move(exchange), std::move(on_end), std::move(on_bytes)));
  if (auto ready = begun.Prepare(route_, std::exchange(is_silent_, false)); !ready) {
    begun.refusal = ready.error();
  } else if (const CURLMcode code = ::curl_multi_add_handle(multi_, begun.handle());
             code != CURLM_OK) {
    begun.refusal = Error{ErrorCode::kInternal, ::curl_multi_strerror(code)};
  }
  return id;
}

void HttpTransfers::Detach(const Pending& exchange) {
  ::curl_multi_remove_handle(multi_, exchange.handle());
}

void HttpTransfers::Cancel(Id id) {
  auto cancelled = exchanges_.extract(id);
  if (!cancelled) return;
  Detach(*cancelled.mapped());
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
  TakeEnds();
  std::vector<Id> ids;
  for (const auto& [id, exchange] : exchanges_) ids.push_back(id);
  for (const Id id : ids) {
    // Whoever is told may cancel it.
    if (const auto at = exchanges_.find(id); at != exchanges_.end()) at->second->TellBegin();
    if (const auto at = exchanges_.find(id); at != exchanges_.end()) at->second->TellBytes();
  }
  const auto now = steady_clock::now();
  for (const Id id : ids) TellEnd(id, now);
  gone_.clear();
}

void HttpTransfers::TakeEnds() {
  int left = 0;
  while (const CURLMsg* message = ::curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    Pending::Of(message->easy_handle).ended_by = message->data.result;
  }
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
  Detach(exchange);
  exchange.TellEnd();
}

void HttpTransfers::Wake() {
  ::curl_multi_wakeup(multi_);
}

}  // namespace jettison
