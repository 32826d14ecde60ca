#pragma once

#include <microhttpd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/message.h"

namespace jettison {
struct HttpLimits;
}

namespace jettison::http {

using SteadyTime = std::chrono::steady_clock::time_point;

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
  std::string target;           // path and query as sent
  bool has_begun = false;       // its head has been looked at
  std::string body;             // as much as is there
  std::size_t length = 0;       // of the body, once it is there
  std::shared_ptr<void> share;  // of the memory for bodies
};

// One connection.
struct Connection {
  // How far the client is with what it is at.
  enum class Phase : std::uint8_t {
    kReceiving,  // a request is on its way, or may come for the first time
    kAnswering,  // the answer is going out, or a part of a stream
    kWaiting,    // a stream that has nothing to send: suspended
    kIdle,       // answered; another request may come
  };
  int descriptor = -1;  // libmicrohttpd's to close
  bool is_unix = false;
  bool is_tls = false;
  SteadyTime since;     // when it last had a request answered, else when it came
  SteadyTime deadline;  // when it is cut; not while it waits
  Phase phase = Phase::kReceiving;
  bool is_cut = false;               // it is going; a stream ends, whatever it had to send
  MHD_Connection* handle = nullptr;  // while it waits
  Exchange exchange;
};

// An error that the server itself answers with.
struct Refusal {
  int status = 400;
  std::string message;
  std::pair<std::string, std::string> header = {};  // name, value; empty: none
};

// Which clients may send requests: without a file of a token and a CA, every one.
struct Access {
  std::string token_file;  // empty: no token is asked for
  bool has_client_ca = false;
  bool is_own_token = false;  // the agent has made the token itself, for root

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

// What is wrong with a request as far as its head tells; absent: its body may come, the length of
// which `exchange` then has.
[[nodiscard]] std::optional<Refusal> RefusalOf(const Head& head, Exchange& exchange,
                                               const HttpLimits& limits);

// The request, all of it being there.
[[nodiscard]] HttpRequest RequestOf(const Head& head, std::string body);

}  // namespace jettison::http
