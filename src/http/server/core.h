#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "http/peers/listen.h"
#include "http/peers/own_token.h"
#include "http/server/clients.h"
#include "http/server/connections.h"
#include "http/server/credentials.h"
#include "http/server/listeners.h"
#include "http/server/poller.h"
#include "http/server/responder.h"
#include "http/server/server.h"
#include "http/server/streams.h"

namespace jettison::http {

// What a server is made of, listening already.
struct Parts {
  HttpLimits limits;
  Service service;
  SocketFile unix_socket;  // either may be absent
  FileDescriptor tcp_socket;
  std::string socket_path;  // of the former; empty: there is none
  std::string socket_group;
  std::function<void(const Result<void>&)> on_socket;  // may be empty
  Duration ask_streams_every{0};                       // zero: only when they are woken
  std::optional<TlsFiles> tls;                         // of the TCP socket
  std::optional<OwnToken> own_token;
};

}  // namespace jettison::http

namespace jettison {

// The loop: one epoll over the listening sockets, the daemons, the streams' sockets and a wake-up.
class HttpServer::Core {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Core>> Start(http::Parts parts);

  void Serve();
  void Stop();
  void WakeStreams();
  [[nodiscard]] Result<void> ReadCredentials(const HttpServerOptions& options);
  void UseCredentials();
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  Core(http::Parts parts, http::Poller poller, FileDescriptor wake);

  Result<void> StartClients();
  void WaitForEvents();
  [[nodiscard]] int MillisecondsToWait() const;
  void OnEvent(int descriptor);
  void TakeCredentials();
  void AskStreams();
  void LookAfterSocket();
  [[nodiscard]] Result<void> MakeSocketAnew();
  void Wake();

  // Each is used by those behind it.
  http::Parts parts_;
  std::uint16_t port_ = 0;
  http::HeldMemory held_;
  http::Connections connections_;
  http::Poller poller_;
  FileDescriptor wake_;  // an eventfd
  std::atomic<bool> stop_ = false;
  http::Streams streams_;
  http::Responder responder_;
  std::unique_ptr<http::Clients> clients_;
  std::optional<http::Listeners> listeners_;
  http::NextCredentials next_credentials_;
  http::SteadyTime next_ask_;   // of streams that had nothing to send
  http::SteadyTime next_look_;  // at the socket's file
  bool is_missing_ = false;     // it could not be made anew
};

}  // namespace jettison
