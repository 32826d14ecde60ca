#include "http/transfers/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "http/client/curl_library.h"
#include "http/client/host_addresses.h"
#include "http/endpoint.h"
#include "http/tls_files.h"
#include "http/transfers/memory_file.h"
#include "http/transfers/pending_exchange.h"

namespace jettison {

using http::CurlLibrary;
using http::MemoryFile;
using http::PendingExchange;

namespace {

// Connections that are kept open though nothing is under way on them.
constexpr long kIdleConnections = 4;
// More generations of certificates than there can be while a connection is open.
constexpr std::size_t kGenerations = 64;

bool IsOneLine(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
}

Result<void> CanBeAsked(const HttpExchange& asked) {
  if (!asked.path.starts_with('/') || asked.path.find(' ') != std::string::npos ||
      !IsOneLine(asked.path) || !IsOneLine(asked.method) || !IsOneLine(asked.content_type)) {
    return Fail(ErrorCode::kInvalidArgument, "a request that cannot be sent");
  }
  if (!IsOneLine(asked.bearer_token)) {
    return Fail(ErrorCode::kInvalidArgument, "the token is not one line");
  }
  return {};
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
  void Begin(Id id, PendingExchange& exchange);
  void Cancel(Id id);
  [[nodiscard]] Duration WaitOf(Duration most) const;
  void TakeEnds();
  void TellBytes(Id id);
  void TellEnd(Id id, std::chrono::steady_clock::time_point now);

  const CurlLibrary& curl;
  CURLM* multi;
  std::map<Id, std::unique_ptr<PendingExchange>>
      exchanges;                                       // in the order in which they were begun
  std::map<Id, Error> refused;                         // that could not be begun
  std::vector<std::unique_ptr<PendingExchange>> gone;  // cancelled, perhaps by their own callback
  Id next_id = 1;

 private:
  [[nodiscard]] Result<void> LookUp();
  [[nodiscard]] Result<void> LookUpNow();
  [[nodiscard]] Result<void> Take(const Result<std::string>& addresses);
  void Detach(PendingExchange& exchange) { curl.multi_remove_handle(multi, exchange.handle()); }

  http::Endpoint endpoint_;
  http::PeerRoute route_;
  std::string name_;  // the host as the URL has it
  bool look_up_ = true;
  const bool has_elsewhere_;
  LateReading<Result<std::string>> lookup_;
  bool is_silent_ = false;  // an exchange has had no answer in time since the last was begun
  std::vector<MemoryFile> files_;
  std::size_t generation_ = 0;
  std::vector<MemoryFile> files_before_;  // of exchanges that had begun when they were replaced
};

Result<void> HttpTransfers::Core::SetUp(const HttpPeer& peer) {
  if (multi == nullptr) return Fail(ErrorCode::kInternal, "no memory to ask with");
  const auto endpoint = http::ParseEndpoint(peer.endpoint);
  if (!endpoint) return Fail(endpoint.error());
  if (endpoint->kind == http::Endpoint::Kind::kUnix) {
    return Fail(ErrorCode::kInvalidArgument, peer.endpoint + " is not the address of a host");
  }
  endpoint_ = *endpoint;
  name_ = peer.server_name.empty() ? endpoint->host : peer.server_name;
  http::Endpoint named = endpoint_;
  named.host = name_;
  route_.is_tls = endpoint->kind == http::Endpoint::Kind::kHttps;
  route_.origin = fmt::format("{}://{}", route_.is_tls ? "https" : "http", named.Authority());
  look_up_ = name_ != endpoint_.host || !http::IsIpAddress(endpoint_.host);
  curl.multi_setopt(multi, CURLMOPT_MAXCONNECTS, kIdleConnections);
  return UseTls(peer);
}

// libcurl uses a connection again for the same names of files, whatever is in them, and the number
// of a descriptor that was closed is given out again. So each generation of files has names of its
// own: the kernel passes over further slashes at the beginning of a path.
Result<void> HttpTransfers::Core::UseTls(const HttpPeer& peer) {
  http::PeerRoute route = route_;
  const std::string slashes(++generation_ % kGenerations, '/');
  std::vector<MemoryFile> files;
  const std::pair<const std::string*, std::string*> texts[] = {{&peer.ca_pem, &route.ca_file},
                                                               {&peer.cert_pem, &route.cert_file},
                                                               {&peer.key_pem, &route.key_file}};
  for (const auto& [pem, path] : texts) {
    path->clear();
    if (pem->empty()) continue;
    auto file = MemoryFile::Make(*pem);
    if (!file) return Fail(file.error());
    *path = slashes + file->path();
    files.push_back(std::move(*file));
  }
  route_ = std::move(route);
  files_before_ = std::exchange(files_, std::move(files));
  return {};
}

// An address that is known is used until there is another: a connection may be open, and a resolver
// that does not answer must not keep an exchange from it.
Result<void> HttpTransfers::Core::LookUp() {
  if (const auto found = lookup_.Take()) (void)Take(*found);
  if (!look_up_) return {};
  const bool is_known = !route_.known_addresses.empty();
  if (!has_elsewhere_ || !is_known || http::IsIpAddress(endpoint_.host)) return LookUpNow();
  if (!lookup_.under_way())
    lookup_.Begin([host = endpoint_.host] { return http::AddressesOf(host); });
  look_up_ = false;
  return {};
}

Result<void> HttpTransfers::Core::LookUpNow() {
  return Take(http::IsIpAddress(endpoint_.host) ? Result<std::string>(endpoint_.host)
                                                : http::AddressesOf(endpoint_.host));
}

Result<void> HttpTransfers::Core::Take(const Result<std::string>& addresses) {
  if (!addresses) return Fail(addresses.error().In(endpoint_.host));
  route_.known_addresses = http::KnownAddresses(name_, endpoint_.port, *addresses);
  look_up_ = false;
  return {};
}

void HttpTransfers::Core::Begin(Id id, PendingExchange& exchange) {
  auto ready = CanBeAsked(exchange.asked());
  if (ready) ready = LookUp();
  if (ready) ready = exchange.Prepare(route_, std::exchange(is_silent_, false));
  if (!ready) {
    refused.emplace(id, ready.error());
  } else if (const CURLMcode code = curl.multi_add_handle(multi, exchange.handle());
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
  const auto now = std::chrono::steady_clock::now();
  for (const auto& [id, exchange] : exchanges)
    most = std::min<Duration>(most, exchange->Due() - now);
  return std::max(most, Duration::zero());
}

void HttpTransfers::Core::TakeEnds() {
  int left = 0;
  while (const CURLMsg* message = curl.multi_info_read(multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    PendingExchange& exchange = PendingExchange::Of(curl, message->easy_handle);
    exchange.EndBy(message->data.result);
    if (exchange.was_unreachable()) look_up_ = !route_.known_addresses.empty();
  }
}

void HttpTransfers::Core::TellBytes(Id id) {
  // Whoever is told may cancel it.
  if (const auto at = exchanges.find(id); at != exchanges.end()) at->second->TellBegin();
  if (const auto at = exchanges.find(id); at != exchanges.end()) at->second->TellBytes();
}

void HttpTransfers::Core::TellEnd(Id id, std::chrono::steady_clock::time_point now) {
  const auto at = exchanges.find(id);
  if (at == exchanges.end()) return;
  const auto fault = refused.extract(id);
  if (!fault && !at->second->has_ended() && at->second->Due() > now) return;
  const auto ended = exchanges.extract(at);
  PendingExchange& exchange = *ended.mapped();
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
  auto& begun = *(core_->exchanges[id] = std::make_unique<PendingExchange>(
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
  const auto now = std::chrono::steady_clock::now();
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
