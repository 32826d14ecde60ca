#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/server/ledger.h"
#include "http/server/server.h"

struct MHD_Connection;

namespace jettison::http {

using SteadyTime = std::chrono::steady_clock::time_point;

// How far a connection is with what it is at.
enum class Phase : std::uint8_t {
  kReceiving,  // a request is on its way, or may come for the first time
  kAnswering,  // the answer is going out, or a part of a stream
  kWaiting,    // a stream that has nothing to send, or an answer that is not known yet
  kIdle,       // answered; another request may come
};

// One request while it comes in.
struct Exchange {
  std::string target;                                  // path and query as sent
  bool has_begun = false;                              // its head has been looked at
  std::string body;                                    // as much as is there
  std::size_t length = 0;                              // of the body, once it is there
  Share share;                                         // of that
  std::function<std::optional<HttpResponse>()> later;  // what gives the answer that is awaited
};

// One client.
struct Connection {
  int descriptor = -1;  // libmicrohttpd's to close
  bool is_unix = false;
  bool is_tls = false;
  std::string peer;
  SteadyTime since;  // when it last had a request answered, else when it came
  Phase phase = Phase::kReceiving;
  SteadyTime deadline;  // when it is cut; not while it waits
  bool has_stream = false;
  bool is_cut = false;               // it is going; a stream ends, whatever it had to send
  std::optional<bool> is_certified;  // whether its certificate is trusted, once that was looked at
  MHD_Connection* handle = nullptr;  // of a stream
  Share share{};                     // of what the connection itself takes
  Exchange exchange;                 // what it is at
};

// Those that are there now, with what the limits say of them. Times are told, not asked.
class Connections {
 public:
  explicit Connections(const HttpLimits& limits) : limits_(limits) {}

  Connection& Add(Connection connection, SteadyTime now);
  // Null where there is none.
  [[nodiscard]] Connection* Find(int descriptor) const;
  void Remove(int descriptor) { all_.erase(descriptor); }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] std::size_t streams() const;
  [[nodiscard]] bool IsFull() const { return size() >= limits_.connections; }

  // Of those that have no whole request, and are not cut, the one that has been so for longest;
  // null: there is none.
  [[nodiscard]] Connection* OldestIncomplete() const;
  // When the next one is overdue.
  [[nodiscard]] std::optional<SteadyTime> NextDeadline() const;
  [[nodiscard]] std::vector<Connection*> Overdue(SteadyTime now) const;
  [[nodiscard]] std::vector<Connection*> All() const;

  // What happened to one, each with the time that it has for the next thing.
  void RequestBegan(Connection& connection, SteadyTime now) const;
  void Answering(Connection& connection, SteadyTime now) const;
  static void Waiting(Connection& connection);
  void Answered(Connection& connection, SteadyTime now) const;

 private:
  HttpLimits limits_;
  std::map<int, std::unique_ptr<Connection>> all_;  // by descriptor
};

}  // namespace jettison::http
