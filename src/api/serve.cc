#include "api/serve.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace jettison {
namespace {

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
      endpoints_(EndpointsOf(config)),
      server_(
          config, [this](const HttpRequest& request) { return api_.Answer(request); },
          [](int status, std::string_view message) { return StatusAnswer(status, message); }) {}

Serving::~Serving() {
  board_.OnNews({});
  server_.Stop();
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
              .value = endpoints_});
  if (server_.own_token_file().empty()) return;
  board_.Say(
      {.level = LogLevel::kInfo,
       .message =
           "clients that connect over TCP need the token in this file, which only root can read",
       .key = "file",
       .value = server_.own_token_file()});
}

}  // namespace jettison
