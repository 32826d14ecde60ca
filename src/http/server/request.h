#pragma once

#include <microhttpd.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/config/agent_config.h"
#include "core/units/duration.h"
#include "http/message.h"

namespace jettison {

// What one client, and all of them together, may ask of the server.
struct HttpLimits {
  // Of a connection, for the head of a request and for what is read and written. A head that does
  // not fit into it is refused by libmicrohttpd itself: 414, 431.
  std::size_t connection_bytes = 32768;
  std::size_t body_bytes = std::size_t{256} << 10;  // beyond: 413
  // Of all bodies of requests, of all answers until they are taken, and of what streams have under
  // way. Beyond: 503, and a stream ends.
  std::size_t held_bytes = std::size_t{8} << 20;
  std::size_t connections = 64;  // beyond: the oldest without a whole request goes, else 503
  std::size_t streams = 16;      // beyond: 503
  Duration request =
      std::chrono::seconds(10);  // from connecting to the end of the head; for the body
  Duration answer = std::chrono::seconds(30);  // to take an answer; of a stream, one chunk
  Duration idle = std::chrono::seconds(60);    // between an answer and the next request
};

}  // namespace jettison

namespace jettison::http {

// What is held for all clients together, in bytes or pieces, and the most that may be.
class Ledger {
 public:
  explicit Ledger(std::size_t most) : most_(most) {}
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Counts so many until what it returns goes; null: that would be too many.
  [[nodiscard]] std::shared_ptr<void> Take(std::size_t amount) {
    if (amount > left()) return nullptr;
    held_ += amount;
    return {this, [amount](Ledger* ledger) { ledger->held_ -= amount; }};
  }
  [[nodiscard]] std::size_t left() const { return most_ - held_; }

 private:
  std::size_t most_;
  std::size_t held_ = 0;
};

// One request while it comes in.
struct Exchange {
  std::string body;             // as much as is there
  std::size_t length = 0;       // of the body, once it is there
  std::shared_ptr<void> share;  // of the memory that is held
};

// An error that the server itself answers with.
struct Refusal {
  int status = 400;
  std::string message;
  std::pair<std::string, std::string> header = {};  // name, value; empty: none
};

// Which clients may send requests: without a file of a token and a CA, every one.
struct Access {
  HttpConfig config;
  std::string own_token_file;  // with a token that the agent has made itself, for root; or empty

  // Why the client may not ask; absent: it may. A client of the unix socket may ask. On TCP a
  // client needs one of the configured means: a certificate or a token. Where neither is
  // configured, which is possible on a loopback address only, the Host must be an IP address or
  // localhost. Otherwise a web page whose name resolves to this machine could make a browser send
  // requests. The same page could reach a socket that is forwarded to a port of a browser's
  // machine, so the Host must not be a domain name there.
  [[nodiscard]] std::optional<Refusal> RefusalOf(MHD_Connection* handle, bool is_unix) const;
};

// The head of a request as libmicrohttpd hands it over.
struct Head {
  MHD_Connection* handle;
  std::string_view path;  // decoded
  std::string_view method;
  std::string_view version;
};

// What is wrong with a request as far as its head tells; absent: its body may come, which has
// `length` bytes then.
[[nodiscard]] std::optional<Refusal> RefusalOf(const Head& head, const HttpLimits& limits,
                                               std::size_t& length);

// The request, all of it being there.
[[nodiscard]] HttpRequest RequestOf(const Head& head, std::string body);

}  // namespace jettison::http
