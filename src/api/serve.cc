#include "api/serve.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "agent/loop/background_thread.h"
#include "agent/loop/steady_clock.h"
#include "api/api.h"
#include "api/kubernetes/status_object.h"
#include "http/peers/own_token.h"
#include "http/server/server.h"

namespace jettison {
namespace {

// Streams are not told of more than ten snapshots a second; what they missed they are told this
// often.
constexpr Duration kReminder = std::chrono::milliseconds(250);

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

class ServingApi final : public Serving {
 public:
  ServingApi(const HttpConfig& config, Board& board)
      : config_(config),
        board_(board),
        api_({.board = board,
              .host = ReadHostFacts(),
              .now = [this] { return clock_.Now(); },
              .started_at = clock_.Now()}) {}

  ~ServingApi() override {
    if (!server_) return;
    board_.OnNews({});
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    server_->Stop();
  }

  Result<void> Start() {
    auto server = HttpServer::Open(
        OptionsOf(config_), [this](const HttpRequest& request) { return Answer(request); },
        [](int status, std::string_view message) { return StatusAnswer(status, message); });
    if (!server) return Fail(server.error());
    server_ = std::move(*server);
    board_.OnNews([this] {
      api_.watch()->News();
      server_->WakeStreams();
    });
    serving_.Do([this] { server_->Serve(); });
    return {};
  }

  Result<void> ReadCredentials(const HttpConfig& config) override {
    return server_->ReadCredentials(OptionsOf(config));
  }
  void UseCredentials() override { server_->UseCredentials(); }

  std::string own_token_file() const override { return OptionsOf(config_).own_token_file; }

  std::string endpoints() const override {
    if (config_.address.empty()) return config_.socket;
    if (config_.socket.empty()) return config_.address;
    return fmt::format("{}, {}", config_.socket, config_.address);
  }

 private:
  HttpResponse Answer(const HttpRequest& request) {
    HttpResponse answer = api_.Answer(request);
    if (answer.stream && !reminding_.exchange(true)) reminders_.Do([this] { Remind(); });
    return answer;
  }

  void Remind() {
    do {
      std::unique_lock lock(mutex_);
      while (!stop_ && api_.watch()->streams() > 0) {
        wake_.wait_for(lock, kReminder, [this] { return stop_; });
        server_->WakeStreams();
      }
      reminding_ = false;
      if (stop_) return;
      // A stream that was opened meanwhile has left it to this thread.
    } while (api_.watch()->streams() > 0 && !reminding_.exchange(true));
  }

  HttpConfig config_;
  Board& board_;
  SteadyClock clock_;
  Api api_;
  std::unique_ptr<HttpServer> server_;
  std::atomic<bool> reminding_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;  // guarded by mutex_
  // Destroyed, and so ended, before what they use.
  BackgroundThread reminders_{{"http-reminder", "event streams are told what they missed late"}};
  BackgroundThread serving_{{"http", "nothing is answered over HTTP"}};
};

}  // namespace

Result<std::unique_ptr<Serving>> Serving::Open(const HttpConfig& config, Board& board) {
  if (config.socket.empty() && config.address.empty()) return nullptr;
  auto serving = std::make_unique<ServingApi>(config, board);
  if (auto started = serving->Start(); !started) return Fail(started.error().In("http"));
  return serving;
}

}  // namespace jettison
