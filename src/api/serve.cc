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

std::string EndpointsOf(const HttpConfig& config) {
  if (config.address.empty()) return config.socket;
  if (config.socket.empty()) return config.address;
  return fmt::format("{}, {}", config.socket, config.address);
}

}  // namespace

Result<std::unique_ptr<Serving>> Serving::Open(const HttpConfig& config, Board& board) {
  if (config.socket.empty() && config.address.empty()) return nullptr;
  auto serving = std::make_unique<Serving>(config, board);
  const auto listens = serving->server_.Listen();
  if (!listens && listens.error().code == ErrorCode::kInvalidArgument) {
    return Fail(listens.error().In("http"));
  }
  board.OnNews([self = serving.get()] { self->server_.WakeStreams(); });
  serving->Tell(listens);
  serving->serving_.Do([self = serving.get()] {
    self->server_.Serve([self](const Result<void>& again) { self->Tell(again); });
  });
  return serving;
}

Serving::Serving(const HttpConfig& config, Board& board)
    : board_(board),
      api_({.board = board,
            .host = ReadHostFacts(),
            .now = [this] { return clock_.Now(); },
            .started_at = clock_.Now(),
            .wake_streams = [this] { server_.WakeStreams(); }}),
      opened_with_(config),
      server_(
          OptionsOf(config), [this](const HttpRequest& request) { return api_.Answer(request); },
          [](int status, std::string_view message) { return StatusAnswer(status, message); }),
      config_(config) {}

Serving::~Serving() {
  board_.OnNews({});
  server_.Stop();
}

Result<std::function<void()>> Serving::ReadCredentials(const HttpConfig& config) {
  std::unique_lock lock(mutex_);
  HttpConfig next = WithFilesOf(config_, config);
  lock.unlock();
  auto use = server_.ReadCredentials(FilesToRead(next, config));
  if (!use) return use;
  return [this, next = std::move(next), use = *std::move(use)] {
    const std::lock_guard in_use(mutex_);
    config_ = next;
    use();
  };
}

void Serving::Tell(const Result<void>& listens) {
  if (!listens) {
    const Error why = listens.error().In("http");
    if (std::exchange(said_, why) == why) return;
    return board_.Say({.level = LogLevel::kWarning,
                       .message = "the HTTP server cannot be started; the agent tries again",
                       .key = "err",
                       .value = why.message});
  }
  board_.Say({.level = LogLevel::kInfo,
              .message = "the HTTP server is running",
              .key = "endpoints",
              .value = EndpointsOf(opened_with_)});
  const std::string token = OptionsOf(opened_with_).own_token_file;
  if (token.empty()) return;
  board_.Say(
      {.level = LogLevel::kInfo,
       .message =
           "clients that connect over TCP need the token in this file, which only root can read",
       .key = "file",
       .value = token});
}

}  // namespace jettison
