#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "http/server/server.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison::http {

// An error as the tests' servers write it: "404 no such path".
inline HttpResponse PlainError(int status, std::string_view message) {
  return {.status = status,
          .content_type = "text/plain",
          .body = std::to_string(status) + " " + std::string(message)};
}

// A server in a folder of its own, with its thread.
class TestServer {
 public:
  TestServer() = default;
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;
  ~TestServer() { Stop(); }

  // On a socket of its own unless `config` names one; false, with `error`, where it is refused.
  [[nodiscard]] bool Start(HttpHandler handler, HttpConfig config = {},
                           const HttpLimits& limits = {}) {
    if (config.socket == HttpConfig().socket) config.socket = socket();
    auto server = std::make_unique<HttpServer>(std::move(config), std::move(handler), &PlainError,
                                               limits, folder_.path());
    if (auto listens = server->Listen(); !listens) {
      error = listens.error();
      return false;
    }
    server_ = std::move(server);
    thread_ = std::thread([this] { server_->Serve(); });
    return true;
  }
  void Stop() {
    if (server_) server_->Stop();
    if (thread_.joinable()) thread_.join();
    server_.reset();
  }
  [[nodiscard]] HttpServer& server() { return *server_; }
  [[nodiscard]] std::string folder() const { return folder_.path(); }
  [[nodiscard]] std::string socket() const { return folder_.path() + "/run/j.sock"; }
  [[nodiscard]] std::string endpoint() const { return "unix://" + socket(); }

  Error error;

 private:
  kernel::TemporaryFolder folder_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

}  // namespace jettison::http
