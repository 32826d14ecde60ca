#include "api/serve.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "http/endpoint.h"

namespace jettison {
namespace {

HttpServerOptions OptionsOf(const HttpConfig& config) {
  return {.socket_path = config.socket,
          .socket_group = config.socket_group,
          .address = config.address,
          .tls_cert_file = config.tls_cert_file,
          .tls_private_key_file = config.tls_private_key_file,
          .client_ca_file = config.client_ca_file,
          .bearer_token_file = config.bearer_token_file,
          .own_token_file = config.WantsOwnToken() ? http::OwnTokenFile(config.address) : "",
          .limits = {}};
}

// What a server that runs with `used` reads again when `read` was configured. A token and
// certificates that are configured no longer stay as they are, because their files may be gone.
HttpServerOptions FilesToRead(const HttpConfig& used, const HttpConfig& read) {
  HttpServerOptions options = OptionsOf(used);
  if (read.bearer_token_file.empty()) options.bearer_token_file.clear();
  if (read.tls_cert_file.empty()) options.tls_cert_file.clear();
  return options;
}

// Before it is tried again to listen.
constexpr auto kPause = std::chrono::seconds(2);

std::string EndpointsOf(const HttpConfig& config) {
  if (config.address.empty()) return config.socket;
  if (config.socket.empty()) return config.address;
  return fmt::format("{}, {}", config.socket, config.address);
}

}  // namespace

Result<std::unique_ptr<Serving>> Serving::Open(const HttpConfig& config, Board& board) {
  if (config.socket.empty() && config.address.empty()) return nullptr;
  auto serving = std::make_unique<Serving>(config, board);
  if (auto started = serving->Start(); !started) return Fail(started.error());
  return serving;
}

Serving::Serving(const HttpConfig& config, Board& board)
    : board_(board),
      api_({.board = board,
            .host = ReadHostFacts(),
            .now = [this] { return clock_.Now(); },
            .started_at = clock_.Now(),
            .wake_streams = [this] { WakeStreams(); }}),
      config_(config) {}

Serving::~Serving() {
  board_.OnNews({});
  const std::unique_lock lock(mutex_);
  stop_ = true;
  wake_.notify_all();
  if (server_) server_->Stop();
}

Result<void> Serving::Start() {
  auto opened = Listen(config_);
  if (!opened && opened.error().code == ErrorCode::kInvalidArgument) return opened;
  board_.OnNews([this] {
    api_.watch()->News();
    WakeStreams();
  });
  Tell(opened, config_);
  serving_.Do([this] {
    if (Server() == nullptr) ListenLater();
    if (HttpServer* const server = Server()) server->Serve();
  });
  return {};
}

Result<std::function<void()>> Serving::ReadCredentials(const HttpConfig& config) {
  std::unique_lock lock(mutex_);
  HttpConfig next = WithFilesOf(config_, config);
  HttpServer* const server = server_.get();
  lock.unlock();
  std::function<void()> use = [] {};
  if (server != nullptr) {
    auto read = server->ReadCredentials(FilesToRead(next, config));
    if (!read) return read;
    use = *std::move(read);
  }
  return [this, next = std::move(next), use = std::move(use)] {
    const std::lock_guard in_use(mutex_);
    config_ = next;
    use();
  };
}

HttpServer* Serving::Server() {
  const std::lock_guard lock(mutex_);
  return server_.get();
}

Result<void> Serving::Listen(const HttpConfig& config) {
  auto server = HttpServer::Open(
      OptionsOf(config), [this](const HttpRequest& request) { return api_.Answer(request); },
      [](int status, std::string_view message) { return StatusAnswer(status, message); });
  if (!server) return Fail(server.error().In("http"));
  const std::lock_guard lock(mutex_);
  if (!stop_) server_ = std::move(*server);
  return {};
}

void Serving::ListenLater() {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, kPause, [this] { return stop_; })) return;
    const HttpConfig config = config_;
    lock.unlock();
    const auto opened = Listen(config);
    if (opened || opened.error() != said_) Tell(opened, config);
    if (opened) return;
  }
}

void Serving::WakeStreams() {
  if (HttpServer* const server = Server()) server->WakeStreams();
}

void Serving::Tell(const Result<void>& opened, const HttpConfig& config) {
  if (!opened) {
    said_ = opened.error();
    return board_.Say({.level = LogLevel::kWarning,
                       .message = "the HTTP server cannot be started; the agent tries again",
                       .key = "err",
                       .value = said_.message});
  }
  board_.Say({.level = LogLevel::kInfo,
              .message = "the HTTP server is running",
              .key = "endpoints",
              .value = EndpointsOf(config)});
  const std::string token = OptionsOf(config).own_token_file;
  if (token.empty()) return;
  board_.Say(
      {.level = LogLevel::kInfo,
       .message =
           "clients that connect over TCP need the token in this file, which only root can read",
       .key = "file",
       .value = token});
}

}  // namespace jettison
