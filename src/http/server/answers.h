#pragma once

#include <microhttpd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/message.h"
#include "http/server/access.h"

namespace jettison {

// Makes the answer to a request. It is not called from two threads at once, and must not wait.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// Makes the answer for an error that the server itself finds: status (4xx or 5xx), a sentence.
using HttpErrorAnswer = std::function<HttpResponse(int status, std::string_view message)>;

}  // namespace jettison

namespace jettison::http {

using SteadyTime = std::chrono::steady_clock::time_point;

// Bytes that are held for all clients together, and the most that may be.
class Ledger {
 public:
  explicit Ledger(std::size_t most) : most_(most) {}
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Counts them until what it returns goes; null: that would be too much.
  [[nodiscard]] std::shared_ptr<void> Take(std::size_t bytes) {
    if (bytes > left()) return nullptr;
    held_ += bytes;
    return {this, [bytes](Ledger* ledger) { ledger->held_ -= bytes; }};
  }
  [[nodiscard]] std::size_t left() const { return most_ - held_; }

 private:
  std::size_t most_;
  std::size_t held_ = 0;
};

// How far a client is with what it is at.
enum class Phase : std::uint8_t {
  kReceiving,  // a request is on its way, or may come for the first time
  kAnswering,  // the answer is going out, or a part of a stream
  kWaiting,    // a stream that has nothing to send: suspended
  kIdle,       // answered; another request may come
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
  int descriptor = -1;  // libmicrohttpd's to close
  bool is_unix = false;
  bool is_tls = false;
  SteadyTime since;     // when it last had a request answered, else when it came
  SteadyTime deadline;  // when it is cut; not while it waits
  Phase phase = Phase::kReceiving;
  bool has_stream = false;
  bool is_cut = false;               // it is going; a stream ends, whatever it had to send
  MHD_Connection* handle = nullptr;  // while it waits
  Exchange exchange;
};

// Who is connected, and what is answered to the requests that libmicrohttpd tells of.
class Answers {
 public:
  Answers(const HttpLimits& limits, HttpHandler handler, HttpErrorAnswer error_answer,
          Access access)
      : limits_(limits),
        handler_(std::move(handler)),
        error_answer_(std::move(error_answer)),
        access_(std::move(access)),
        bodies_(limits.bodies_bytes),
        answers_(limits.held_bytes) {}
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  // By descriptor. Whoever adds a connection to a daemon puts it here first; it leaves by itself.
  using Connections = std::map<int, std::unique_ptr<Connection>>;
  [[nodiscard]] Connections& connections() { return connections_; }
  [[nodiscard]] const Connections& connections() const { return connections_; }
  // How many of them have a stream. On every thread.
  [[nodiscard]] std::size_t streams() const { return streams_; }
  // Asks one that waits again, or all of them.
  void Resume(Connection& connection);
  void ResumeAll();

  // Another token from now on.
  void SetTokenFile(std::string file) { access_.token_file = std::move(file); }
  // The answer for an error that the server finds.
  [[nodiscard]] HttpResponse ErrorAnswer(int status, std::string_view message) const {
    return error_answer_(status, message);
  }

  // What libmicrohttpd calls, with this as `self`, in this order for a connection.
  static void TellConnection(void* self, MHD_Connection* handle, void** place,
                             MHD_ConnectionNotificationCode what);
  static void* TellTarget(void* self, const char* target, MHD_Connection* handle);
  static MHD_Result TellRequest(void* self, MHD_Connection* handle, const char* path,
                                const char* method, const char* version, const char* bytes,
                                std::size_t* size, void** seen);
  static void TellAnswered(void* self, MHD_Connection* handle, void** seen,
                           MHD_RequestTerminationCode why);

 private:
  struct Reader;
  static ssize_t ReadStream(void* reader, std::uint64_t position, char* buffer, std::size_t size);

  // Each answers, or returns false: the connection is to be closed.
  bool Take(const Head& head, Connection& connection, std::string_view bytes);
  bool Begin(const Head& head, Connection& connection);
  bool Answer(const Head& head, Connection& connection);
  bool SendStream(MHD_Connection* handle, Connection& connection, HttpResponse response);
  bool Refuse(MHD_Connection* handle, Connection& connection, const Refusal& refusal);
  bool Queue(MHD_Connection* handle, Connection& connection, HttpResponse response,
             std::shared_ptr<void> share);

  void ReleaseStream(Connection& connection);
  void Answering(Connection& connection) const;

  const HttpLimits limits_;
  const HttpHandler handler_;
  const HttpErrorAnswer error_answer_;
  Access access_;
  Ledger bodies_;
  Ledger answers_;
  std::atomic<std::size_t> streams_ = 0;
  Connections connections_;
};

}  // namespace jettison::http
