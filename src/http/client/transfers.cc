#include "http/client/transfers.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "http/client/curl_request.h"
#include "http/endpoint.h"
#include "http/tls_files.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {

using http::CurlHandle;
using http::CurlLibrary;
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

// One request on its way.
class Pending {
 public:
  Pending(const CurlLibrary& curl, HttpExchange asked, HttpTransfers::OnEnd on_end,
          HttpTransfers::OnBytes on_bytes)
      : curl_(curl),
        asked_(std::move(asked)),
        on_end_(std::move(on_end)),
        on_bytes_(std::move(on_bytes)),
        handle_(curl) {}

  // Once, before it is under way. `route` has what all exchanges with the peer share, and its
  // origin for a URL. `anew`: over a connection of its own making.
  [[nodiscard]] Result<void> Prepare(const CurlRequest& route, bool anew);
  [[nodiscard]] const CurlHandle& handle() const { return handle_; }
  // The exchange of a handle.
  [[nodiscard]] static Pending& Of(const CurlLibrary& curl, CURL* handle);
  // No new exchange uses this connection, which is closed when no exchange is under way on it. The
  // peer may be gone without notice, and HTTP/2 would send the next exchange over it, too.
  void DistrustConnection() { handle_.Set(CURLOPT_FORBID_REUSE, 1L); }

  // When the first of its limits of time is reached, as things stand.
  [[nodiscard]] steady_clock::time_point Due() const;
  void EndBy(CURLcode code) { ended_by_ = code; }
  [[nodiscard]] bool has_ended() const { return ended_by_.has_value(); }
  // Tells once that a stream has begun.
  void TellBegin();
  // Hands over the bytes of a stream that came since.
  void TellBytes();
  // Hands over the end: the answer, or why there is none.
  void TellEnd() const { on_end_(Outcome()); }
  void TellEnd(Error error) const { on_end_(Fail(std::move(error))); }

 private:
  [[nodiscard]] bool IsStreaming() const {
    return on_bytes_ && handle_.Status() >= 200 && handle_.Status() < 300;
  }
  [[nodiscard]] Result<HttpAnswer> Outcome() const;
  static std::size_t TakeHeader(char* bytes, std::size_t one, std::size_t count, void* self);
  static std::size_t TakeBody(char* bytes, std::size_t one, std::size_t count, void* self);

  const CurlLibrary& curl_;
  const HttpExchange asked_;
  const HttpTransfers::OnEnd on_end_;
  const HttpTransfers::OnBytes on_bytes_;
  CurlHandle handle_;
  const steady_clock::time_point start_ = steady_clock::now();
  std::optional<steady_clock::time_point> last_byte_;  // of the answer, once its head has begun
  std::optional<CURLcode> ended_by_;
  bool has_begun_ = false;  // and that was told
  bool is_too_large_ = false;
  std::string body_;
};

Result<void> Pending::Prepare(const CurlRequest& route, bool anew) {
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

Pending& Pending::Of(const CurlLibrary& curl, CURL* handle) {
  char* self = nullptr;
  curl.easy_getinfo(handle, CURLINFO_PRIVATE, &self);
  return *reinterpret_cast<Pending*>(self);
}

steady_clock::time_point Pending::Due() const {
  auto due = start_ + asked_.timeout;
  if (!last_byte_ && asked_.answers_within > Duration::zero()) {
    due = std::min(due, start_ + asked_.answers_within);
  }
  if (last_byte_ && asked_.silence > Duration::zero()) {
    due = std::min(due, *last_byte_ + asked_.silence);
  }
  return due;
}

void Pending::TellBegin() {
  if (has_begun_ || !IsStreaming()) return;
  has_begun_ = true;
  on_bytes_({});
}

void Pending::TellBytes() {
  if (body_.empty() || !IsStreaming()) return;
  const std::string bytes = std::exchange(body_, {});
  on_bytes_(bytes);
}

Result<HttpAnswer> Pending::Outcome() const {
  if (is_too_large_ && IsStreaming()) {
    return Fail(ErrorCode::kInternal,
                fmt::format("more than {} bytes of a stream at a time", asked_.most_bytes));
  }
  if (ended_by_ != CURLE_OK && !is_too_large_) {
    return Fail(handle_.FailureOf(ended_by_.value_or(CURLE_OPERATION_TIMEDOUT)));
  }
  HttpAnswer answer{.status = handle_.Status(), .body = {}, .is_too_large = is_too_large_};
  if (!is_too_large_) answer.body = body_;
  curl_off_t seconds = 0;
  if (curl_.easy_getinfo(handle_.get(), CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK &&
      seconds > 0) {
    answer.retry_after = std::chrono::seconds(std::min<curl_off_t>(seconds, 86'400));
  }
  return answer;
}

std::size_t Pending::TakeHeader(char* /*bytes*/, std::size_t one, std::size_t count, void* self) {
  static_cast<Pending*>(self)->last_byte_ = steady_clock::now();
  return one * count;
}

std::size_t Pending::TakeBody(char* bytes, std::size_t one, std::size_t count, void* self) {
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

}  // namespace

class HttpTransfers::Core {
 public:
  Core(const CurlLibrary& library, Elsewhere elsewhere)
      : curl(library),
        multi(library.multi_init()),
        has_elsewhere_(elsewhere != nullptr),
        lookup_(std::move(elsewhere)) {}
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core() {
    for (const auto& [id, exchange] : exchanges) Detach(*exchange);
    exchanges.clear();
    curl.multi_cleanup(multi);
  }

  [[nodiscard]] Result<void> SetUp(const HttpPeer& peer);
  [[nodiscard]] Result<void> UseTls(const HttpPeer& peer);
  void Begin(Id id, Pending& exchange);
  void Cancel(Id id);
  [[nodiscard]] Duration WaitOf(Duration most) const;
  void TakeEnds();
  void TellBytes(Id id);
  void TellEnd(Id id, steady_clock::time_point now);

  const CurlLibrary& curl;
  CURLM* multi;
  std::map<Id, std::unique_ptr<Pending>> exchanges;  // in the order in which they were begun
  std::map<Id, Error> refused;                       // that could not be begun
  std::vector<std::unique_ptr<Pending>> gone;        // cancelled, perhaps by their own callback
  Id next_id = 1;

 private:
  [[nodiscard]] Result<void> LookUp();
  [[nodiscard]] Result<void> Take(Result<std::string> addresses);
  void Detach(const Pending& exchange) { curl.multi_remove_handle(multi, exchange.handle().get()); }

  http::Endpoint endpoint_;
  CurlRequest route_;        // the URL of which is the origin
  std::string server_name_;  // the host as the URL has it
  bool look_up_ = true;
  const bool has_elsewhere_;
  LateReading<Result<std::string>> lookup_;
  bool is_silent_ = false;  // an exchange has had no answer in time since the last was begun
  std::vector<FileDescriptor> files_;
  std::size_t generation_ = 0;
  std::vector<FileDescriptor> files_before_;  // of exchanges that had begun when they were replaced
};

Result<void> HttpTransfers::Core::SetUp(const HttpPeer& peer) {
  if (multi == nullptr) return Fail(ErrorCode::kInternal, "no memory to ask with");
  const auto endpoint = http::ParseEndpoint(peer.endpoint);
  if (!endpoint) return Fail(endpoint.error());
  if (endpoint->kind == http::Endpoint::Kind::kUnix) {
    return Fail(ErrorCode::kInvalidArgument, peer.endpoint + " is not the address of a host");
  }
  endpoint_ = *endpoint;
  server_name_ = peer.server_name.empty() ? endpoint->host : peer.server_name;
  http::Endpoint named = endpoint_;
  named.host = server_name_;
  route_.may_be_http2 = endpoint->kind == http::Endpoint::Kind::kHttps;
  route_.url = fmt::format("{}://{}", route_.may_be_http2 ? "https" : "http", named.Authority());
  look_up_ = server_name_ != endpoint_.host || !http::IsIpAddress(endpoint_.host);
  curl.multi_setopt(multi, CURLMOPT_MAXCONNECTS, kIdleConnections);
  return UseTls(peer);
}

// libcurl uses a connection again for the same names of files, whatever is in them, and the number
// of a descriptor that was closed is given out again. So each generation of files has names of its
// own: the kernel passes over further slashes at the beginning of a path.
Result<void> HttpTransfers::Core::UseTls(const HttpPeer& peer) {
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

// An address that is known is used until there is another: a connection may be open, and a resolver
// that does not answer must not keep an exchange from it.
Result<void> HttpTransfers::Core::LookUp() {
  if (auto found = lookup_.Take()) (void)Take(*std::move(found));
  if (!look_up_) return {};
  const auto look = [host = endpoint_.host, name = server_name_, port = endpoint_.port] {
    return http::KnownAddressesOf(host, name, port);
  };
  if (!has_elsewhere_ || route_.known_addresses.empty()) return Take(look());
  if (!lookup_.under_way()) lookup_.Begin(look);
  look_up_ = false;
  return {};
}

Result<void> HttpTransfers::Core::Take(Result<std::string> addresses) {
  if (!addresses) return Fail(addresses.error());
  route_.known_addresses = *std::move(addresses);
  look_up_ = false;
  return {};
}

void HttpTransfers::Core::Begin(Id id, Pending& exchange) {
  auto ready = LookUp();
  if (ready) ready = exchange.Prepare(route_, std::exchange(is_silent_, false));
  if (!ready) {
    refused.emplace(id, ready.error());
  } else if (const CURLMcode code = curl.multi_add_handle(multi, exchange.handle().get());
             code != CURLM_OK) {
    refused.emplace(id, Error{ErrorCode::kInternal, curl.multi_strerror(code)});
  }
}

void HttpTransfers::Core::Cancel(Id id) {
  auto cancelled = exchanges.extract(id);
  if (!cancelled) return;
  refused.erase(id);
  Detach(*cancelled.mapped());
  gone.push_back(std::move(cancelled.mapped()));
}

Duration HttpTransfers::Core::WaitOf(Duration most) const {
  if (!refused.empty()) return Duration::zero();
  const auto now = steady_clock::now();
  for (const auto& [id, exchange] : exchanges) {
    most = std::min<Duration>(most, exchange->Due() - now);
  }
  return std::max(most, Duration::zero());
}

void HttpTransfers::Core::TakeEnds() {
  int left = 0;
  while (const CURLMsg* message = curl.multi_info_read(multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    Pending::Of(curl, message->easy_handle).EndBy(code);
    // Nobody was reached, so that the host may have moved.
    if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST) {
      look_up_ = !route_.known_addresses.empty();
    }
  }
}

void HttpTransfers::Core::TellBytes(Id id) {
  // Whoever is told may cancel it.
  if (const auto at = exchanges.find(id); at != exchanges.end()) at->second->TellBegin();
  if (const auto at = exchanges.find(id); at != exchanges.end()) at->second->TellBytes();
}

void HttpTransfers::Core::TellEnd(Id id, steady_clock::time_point now) {
  const auto at = exchanges.find(id);
  if (at == exchanges.end()) return;
  const auto fault = refused.extract(id);
  if (!fault && !at->second->has_ended() && at->second->Due() > now) return;
  const auto ended = exchanges.extract(at);
  Pending& exchange = *ended.mapped();
  if (!fault && !exchange.has_ended()) {
    exchange.DistrustConnection();
    is_silent_ = true;
  }
  Detach(exchange);
  if (fault) {
    exchange.TellEnd(fault.mapped());
  } else {
    exchange.TellEnd();
  }
}

Result<std::unique_ptr<HttpTransfers>> HttpTransfers::Open(const HttpPeer& peer,
                                                           Elsewhere elsewhere) {
  const auto curl = http::LoadCurl();
  if (!curl) return Fail(curl.error());
  auto core = std::make_unique<Core>(**curl, std::move(elsewhere));
  if (auto set_up = core->SetUp(peer); !set_up) return Fail(set_up.error());
  return std::unique_ptr<HttpTransfers>(new HttpTransfers(std::move(core)));
}

HttpTransfers::HttpTransfers(std::unique_ptr<Core> core) : core_(std::move(core)) {}

HttpTransfers::~HttpTransfers() = default;

HttpTransfers::Id HttpTransfers::Start(HttpExchange exchange, OnEnd on_end, OnBytes on_bytes) {
  const Id id = core_->next_id++;
  auto& begun = *(core_->exchanges[id] = std::make_unique<Pending>(
                      core_->curl, std::move(exchange), std::move(on_end), std::move(on_bytes)));
  core_->Begin(id, begun);
  return id;
}

Result<void> HttpTransfers::UseTls(const HttpPeer& peer) {
  return core_->UseTls(peer);
}

void HttpTransfers::Cancel(Id id) {
  core_->Cancel(id);
}

void HttpTransfers::Turn(Duration most) {
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(core_->WaitOf(most)).count();
  core_->curl.multi_poll(core_->multi, nullptr, 0,
                         static_cast<int>(std::min<std::int64_t>(wait, 3'600'000)), nullptr);
  int running = 0;
  core_->curl.multi_perform(core_->multi, &running);
  core_->TakeEnds();
  std::vector<Id> ids;
  for (const auto& [id, exchange] : core_->exchanges) ids.push_back(id);
  for (const Id id : ids) core_->TellBytes(id);
  const auto now = steady_clock::now();
  for (const Id id : ids) core_->TellEnd(id, now);
  core_->gone.clear();
}

std::size_t HttpTransfers::under_way() const {
  return core_->exchanges.size();
}

void HttpTransfers::Wake() {
  core_->curl.multi_wakeup(core_->multi);
}

}  // namespace jettison
