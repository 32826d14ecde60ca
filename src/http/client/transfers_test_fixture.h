#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/client/transfers.h"
#include "http/server/testing/test_server.h"

namespace jettison::http {

// A server on a TCP port of its own, and transfers to it.
class Transfers : public testing::Test {
 protected:
  static constexpr auto kLongest = std::chrono::seconds(20);  // that what must come is waited for

  void Serve(HttpHandler handler, HttpConfig config = {}) {
    config.address = "127.0.0.1:0";
    config.allow_any_local_user = true;
    ASSERT_TRUE(server_.Start(std::move(handler), config)) << server_.error.message;
    Connect({.endpoint = "http://127.0.0.1:" + Port()});
  }
  void Connect(const HttpPeer& peer) {
    auto opened = HttpTransfers::Open(peer);
    ASSERT_TRUE(opened) << opened.error().message;
    transfers_ = std::move(*opened);
  }
  [[nodiscard]] std::string Port() { return std::to_string(server_.server().port()); }

  HttpTransfers::Id Ask(HttpExchange exchange, HttpTransfers::OnBytes on_bytes = {}) {
    return transfers_->Start(
        std::move(exchange),
        [this](Result<HttpAnswer> answer) { answers_.push_back(std::move(answer)); },
        std::move(on_bytes));
  }
  template <typename Condition>
  [[nodiscard]] bool TurnUntil(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      transfers_->Turn(std::chrono::milliseconds(100));
    }
    return true;
  }
  [[nodiscard]] bool Answered(std::size_t count = 1) {
    return TurnUntil([&] { return answers_.size() >= count; });
  }

  TestServer server_;
  std::unique_ptr<HttpTransfers> transfers_;
  std::vector<Result<HttpAnswer>> answers_;
};

}  // namespace jettison::http
