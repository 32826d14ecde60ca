#pragma once

#include <microhttpd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/message.h"
#include "http/server/access.h"
#include "http/server/listen.h"
#include "http/server/server.h"
#include "http/server/tokens.h"
#include "http/tls_files.h"
#include "ports/file_descriptor.h"

namespace jettison::http {

using SteadyTime = std::chrono::steady_clock::time_point;

// What a server is made of, listening already.
struct Parts {
  HttpServerOptions options;
  HttpHandler handler;
  HttpErrorAnswer error_answer;
  Access access{std::nullopt, false, ""};
  ListeningSocket unix_socket{};  // either may be absent
  FileDescriptor tcp_socket{};
  std::optional<TlsFiles> tls{};  // of the TCP socket
  OwnFile own_token{};
};

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
  kWaiting,    // a stream that has nothing to send, or an answer that is not known yet: suspended
  kIdle,       // answered; another request may come
};

// One request while it comes in.
struct Exchange {
  std::string target;                                  // path and query as sent
  bool has_begun = false;                              // its head has been looked at
  std::string body;                                    // as much as is there
  std::size_t length = 0;                              // of the body, once it is there
  std::shared_ptr<void> share;                         // of the memory for bodies
  std::function<std::optional<HttpResponse>()> later;  // what gives the answer that is awaited
};

// One connection.
struct Connection {
  int descriptor = -1;  // libmicrohttpd's to close
  bool is_unix = false;
  bool is_tls = false;
  std::string peer;
  SteadyTime since;     // when it last had a request answered, else when it came
  SteadyTime deadline;  // when it is cut; not while it waits
  Phase phase = Phase::kReceiving;
  bool has_stream = false;           // or awaits its answer
  bool is_cut = false;               // it is going; a stream ends, whatever it had to send
  std::optional<bool> is_certified;  // whether its certificate is trusted, once that was looked at
  MHD_Connection* handle = nullptr;  // while it waits
  Exchange exchange;
};

struct StopDaemon {
  void operator()(MHD_Daemon* daemon) const { MHD_stop_daemon(daemon); }
};
// A daemon of libmicrohttpd that is given its connections, has no thread and waits for nothing.
struct Daemon {
  std::unique_ptr<TlsFiles> tls;  // null for plain HTTP
  std::unique_ptr<MHD_Daemon, StopDaemon> handle;
};

// Credentials that were read while a server runs, ready to be used.
struct Credentials {
  std::optional<BearerToken> token;
  std::optional<Daemon> tls;
};

}  // namespace jettison::http

namespace jettison {

// The loop over the listening sockets, the daemons, the sockets of streams and a wake-up (core.cc),
// and the answers to the requests that libmicrohttpd tells of (answers.cc).
class HttpServer::Core {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Core>> Start(http::Parts parts);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  // Closes every connection.
  ~Core();

  // As of HttpServer.
  void Serve();
  void Stop();
  void WakeStreams();
  [[nodiscard]] Result<void> ReadCredentials(const HttpServerOptions& options);
  void UseCredentials();
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  struct Reader;

  Core(http::Parts parts, FileDescriptor wake);
  [[nodiscard]] Result<http::Daemon> StartDaemon(std::optional<http::TlsFiles> tls);

  // The loop.
  void Wake();
  void Wait();
  [[nodiscard]] int MillisecondsToWait() const;
  void RunDaemons();
  void AskStreams();
  void TakeCredentials();
  void LookAfterSocket();
  void Accept(int listener, bool is_unix);
  void Add(FileDescriptor socket, bool is_unix);
  [[nodiscard]] bool HasRoom();
  void TurnAway(int socket, bool is_tls);
  void CutOverdue();
  void Cut(http::Connection& connection);
  void Resume(http::Connection& connection);
  void ResumeAll();

  // What libmicrohttpd tells of a connection, in this order.
  static void TellConnection(void* self, MHD_Connection* handle, void** place,
                             MHD_ConnectionNotificationCode what);
  static void* TellTarget(void* self, const char* target, MHD_Connection* handle);
  static MHD_Result TellRequest(void* self, MHD_Connection* handle, const char* path,
                                const char* method, const char* version, const char* bytes,
                                std::size_t* size, void** seen);
  static void TellAnswered(void* self, MHD_Connection* handle, void** seen,
                           MHD_RequestTerminationCode why);
  static ssize_t ReadStream(void* reader, std::uint64_t position, char* buffer, std::size_t size);

  // Each answers, or returns false: the connection is to be closed.
  bool Take(const http::Head& head, http::Connection& connection, std::string_view bytes);
  bool Begin(const http::Head& head, http::Connection& connection);
  bool Answer(const http::Head& head, http::Connection& connection);
  bool AnswerLater(const http::Head& head, http::Connection& connection);
  bool Send(const http::Head& head, http::Connection& connection, HttpResponse response);
  bool SendStream(MHD_Connection* handle, http::Connection& connection, HttpResponse response);
  bool Refuse(MHD_Connection* handle, http::Connection& connection, const http::Refusal& refusal);
  bool RefuseStream(MHD_Connection* handle, http::Connection& connection);
  bool Queue(MHD_Connection* handle, http::Connection& connection, HttpResponse response,
             std::shared_ptr<void> share);

  // Whether it may have a stream, which it then has.
  [[nodiscard]] bool HoldStream(http::Connection& connection);
  void ReleaseStream(http::Connection& connection);
  void Suspend(MHD_Connection* handle, http::Connection& connection);
  void Answering(http::Connection& connection) const;

  // Each is used by those behind it.
  http::Parts parts_;
  const std::uint16_t port_;
  const bool has_tls_;
  FileDescriptor wake_;  // an eventfd
  std::atomic<bool> stop_ = false;
  std::atomic<std::size_t> streams_ = 0;
  http::Ledger bodies_;
  http::Ledger answers_;
  std::map<int, std::unique_ptr<http::Connection>> connections_;  // by descriptor
  http::Daemon plain_;
  http::Daemon tls_;  // empty without TLS
  std::mutex mutex_;
  std::optional<http::Credentials> read_;    // guarded by it
  std::optional<http::Credentials> wanted_;  // guarded by it
  http::SteadyTime next_ask_;                // of streams that had nothing to send
  http::SteadyTime next_accept_;             // not before: there was no descriptor for a client
  http::SteadyTime next_look_;               // at the socket's file
  bool is_missing_ = false;                  // it could not be made anew
};

}  // namespace jettison
