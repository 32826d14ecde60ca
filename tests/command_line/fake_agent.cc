#include "tests/command_line/fake_agent.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "api/overview/overview.h"

namespace jettison {

FakeAgent::FakeAgent(Overview overview) : overview_(std::move(overview)) {
  server_ = std::make_unique<HttpServer>(
      HttpServerOptions{.socket_path = socket_},
      [this](const HttpRequest& request) { return Answer(request); },
      [](int status, std::string_view message) {
        return HttpResponse{.status = status, .body = std::string(message)};
      });
  if (const auto listens = server_->Listen(); !listens) {
    std::fprintf(stderr, "%s\n", listens.error().message.c_str());
    std::abort();
  }
  thread_ = std::thread([this] { server_->Serve(); });
}

FakeAgent::~FakeAgent() {
  Stop();
}

void FakeAgent::Stop() {
  if (!server_) return;
  server_->Stop();
  thread_.join();
  server_.reset();
}

void FakeAgent::Show(Overview overview) {
  const std::lock_guard lock(mutex_);
  overview_ = std::move(overview);
}

void FakeAgent::AnswerReadyz(HttpResponse answer) {
  const std::lock_guard lock(mutex_);
  readyz_ = std::move(answer);
}

HttpResponse FakeAgent::Answer(const HttpRequest& request) {
  const std::lock_guard lock(mutex_);
  if (request.path == "/readyz") return readyz_;
  if (request.path != "/api/v1/overview") return {.status = 404, .body = "no such page"};
  Overview overview = overview_;
  const auto signal = request.query.find("signal");
  if (signal != request.query.end()) {
    overview.ranked_for = EnumeratorNamed<Signal>(signal->second).value_or(overview.ranked_for);
  }
  return {.body = OverviewJson(overview)};
}

}  // namespace jettison
