#include "api/serve.h"

#include <fmt/format.h>

#include <string>
#include <tuple>
#include <utility>

namespace jettison {
namespace {

// What a server that runs with `used` reads again when `read` was configured. A token and
// certificates whose names have changed stay as they are, because their files may be gone.
HttpConfig FilesToRead(HttpConfig used, const HttpConfig& read) {
  const auto tls = [](const HttpConfig& http) {
    return std::tie(http.tls_cert_file, http.tls_private_key_file, http.client_ca_file);
  };
  const bool same_tls = tls(read) == tls(used);
  if (read.bearer_token_file != used.bearer_token_file) used.bearer_token_file.clear();
  if (!same_tls) used.tls_cert_file.clear();
  return used;
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
            .now = [this] { return clock_.Now(); },
            .started_at = clock_.Now(),
            .wake_streams = [this] { server_.WakeStreams(); }}),
      opened_with_(config),
      server_(
          config, [this](const HttpRequest& request) { return api_.Answer(request); },
          [](int status, std::string_view message) { return StatusAnswer(status, message); }) {}

Serving::~Serving() {
  board_.OnNews({});
  server_.Stop();
}

Result<std::function<void()>> Serving::ReadCredentials(const HttpConfig& config) {
  return server_.ReadCredentials(FilesToRead(opened_with_, config));
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
  if (server_.own_token_file().empty()) return;
  board_.Say(
      {.level = LogLevel::kInfo,
       .message =
           "clients that connect over TCP need the token in this file, which only root can read",
       .key = "file",
       .value = server_.own_token_file()});
}

}  // namespace jettison
