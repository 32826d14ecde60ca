#pragma once

#include <microhttpd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "http/server/access.h"
#include "http/server/answers.h"
#include "http/server/listen.h"
#include "http/server/server.h"
#include "http/tls_files.h"
#include "ports/file_descriptor.h"

namespace jettison::http {

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

// The loop over the listening sockets, the daemons, the sockets of streams and a wake-up.
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
  Core(http::Parts parts, FileDescriptor wake);
  [[nodiscard]] Result<http::Daemon> StartDaemon(std::optional<http::TlsFiles> tls);
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

  // Each is used by those behind it.
  http::Parts parts_;
  const std::uint16_t port_;
  const bool has_tls_;
  FileDescriptor wake_;  // an eventfd
  std::atomic<bool> stop_ = false;
  http::Answers answers_;
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
