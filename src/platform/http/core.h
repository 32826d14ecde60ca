#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "platform/http/access.h"
#include "platform/http/connections.h"
#include "platform/http/credentials.h"
#include "platform/http/daemon.h"
#include "platform/http/exchange.h"
#include "platform/http/listen.h"
#include "platform/http/own_token.h"
#include "platform/http/server.h"

namespace jettison::http {

// What a server is made of, listening already.
struct Parts {
  HttpLimits limits;
  HttpHandler handler;
  HttpErrorAnswer error_answer;
  SocketFile unix_socket;  // either may be absent
  FileDescriptor tcp_socket;
  std::optional<TlsFiles> tls;  // of the TCP socket
  std::optional<OwnToken> own_token;
  Access access{std::nullopt, false, ""};
};

}  // namespace jettison::http

namespace jettison {

// The loop: one epoll over the listening sockets, the daemons, the streams' sockets and a wake-up.
class HttpServer::Core final : public http::DaemonEvents {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Core>> Start(http::Parts parts);
  ~Core() override;

  void Serve();
  void Stop();
  void WakeStreams();
  [[nodiscard]] Result<void> ReadCredentials(const HttpServerOptions& options);
  void UseCredentials();
  [[nodiscard]] std::uint16_t port() const { return port_; }

  void OnTarget(http::Connection& connection, const char* target) override;
  bool OnRequest(http::Connection& connection, MHD_Connection* handle, const char* path,
                 const char* method, const char* version, std::string_view bytes) override;
  void OnAnswered(http::Connection& connection) override;
  void OnClosed(http::Connection& connection) override;

  // The next bytes of a stream, or that there are none now, or never again.
  struct Reader;
  static ssize_t Read(void* reader, std::uint64_t position, char* buffer, std::size_t size);

 private:
  explicit Core(http::Parts parts) : parts_(std::move(parts)), connections_(parts_.limits) {}

  Result<void> Watch(int descriptor, std::uint32_t events);
  void WaitForEvents();
  void OnEvent(int descriptor);
  [[nodiscard]] bool IsListener(int descriptor) const;
  void RunDaemons();
  void Accept(int listener);
  void AddClient(int listener, FileDescriptor socket);
  [[nodiscard]] http::Share ShareOfConnection(bool is_tls);
  // Whether one more client may be taken in; makes room for one that waits there.
  bool HasRoom(int listener);
  void SetListening(bool listening);
  void ListenAgain();
  void TakeCredentials();
  void CutOverdue();
  void Cut(http::Connection& connection);
  void ResumeStreams();
  bool Begin(const http::Head& head, http::Connection& connection);
  bool Answer(const http::Head& head, http::Connection& connection);
  bool Refuse(MHD_Connection* handle, http::Connection& connection, const http::Refusal& refusal);
  // Queues an answer that its share has been taken of.
  bool Queue(MHD_Connection* handle, http::Connection& connection, HttpResponse response,
             http::Share share);
  bool Offer(MHD_Connection* handle, http::Connection& connection, HttpResponse response);
  bool RefuseForRoom(MHD_Connection* handle, http::Connection& connection, std::string message);
  bool QueueStream(MHD_Connection* handle, http::Connection& connection, HttpResponse response);

  http::Parts parts_;
  // What is held for clients; declared before whatever has a share of it.
  http::Ledger held_{parts_.limits.held_bytes};
  http::Ledger bodies_{parts_.limits.bodies_bytes, &held_};
  std::uint16_t port_ = 0;
  http::Connections connections_;
  FileDescriptor epoll_;
  FileDescriptor wake_;  // an eventfd
  std::atomic<bool> stop_ = false;
  std::atomic<int> waiting_streams_ = 0;   // for WakeStreams to know whether to wake
  bool is_listening_ = true;               // whether new clients are taken in
  std::optional<http::SteadyTime> pause_;  // none is taken in before
  std::unique_ptr<http::Daemon> plain_;
  std::unique_ptr<http::Credentials> used_;  // outlives the daemon that was made of it
  std::unique_ptr<http::Daemon> tls_;        // null without TLS
  std::mutex credentials_mutex_;
  std::unique_ptr<http::Credentials> read_;    // guarded by it
  std::unique_ptr<http::Credentials> wanted_;  // guarded by it: to be used from the next turn on
};

}  // namespace jettison
