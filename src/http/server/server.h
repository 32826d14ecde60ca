#pragma once

#include <microhttpd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "http/message.h"
#include "http/server/access.h"
#include "http/server/answers.h"
#include "http/server/listen.h"
#include "http/tls_files.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Where to listen and who may ask. An empty text means none.
struct HttpServerOptions {
  std::string socket_path;    // absolute; mode 0660, its folder is made where it is missing
  std::string socket_group;   // name or number of the group that owns the socket, else the process'
  std::string address;        // "127.0.0.1:10350", "[::1]:0" (any free port)
  std::string tls_cert_file;  // PEM, with intermediate certificates; needs the key
  std::string tls_private_key_file;  // PEM
  std::string client_ca_file;        // PEM: a client certificate signed by one of these may ask
  std::string bearer_token_file;     // who sends this token may ask; read again when it changes
  // Where neither is set: a file to put a token into that is made for this server (MakeOwnToken);
  // who sends it may ask. Empty: on loopback everybody may.
  std::string own_token_file;
  HttpLimits limits;
};

// A server of HTTP/1.1 on a unix socket, a TCP address or both, on libmicrohttpd. All of it happens
// on the one thread that is in Serve, which sleeps while there is no connection.
class HttpServer {
 public:
  // Listens; nobody is answered before Serve. Refused, with a sentence that says what to do:
  // - an address other than loopback without TLS and without a client CA or a token (who is on the
  //   machine may ask a loopback address without);
  // - a socket that somebody still answers on; a stale one is replaced;
  // - certificates, keys, token files that cannot be read or are none;
  // - kUnavailable: there are too few descriptors or threads to serve with.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> Open(const HttpServerOptions& options,
                                                                HttpHandler handler,
                                                                HttpErrorAnswer error_answer);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  // Serve must have returned. Closes every connection, destroys every stream, removes the socket.
  ~HttpServer();

  // Answers until Stop. The caller's thread should be an ordinary one, with every signal blocked.
  void Serve();

  // The rest may be called from every thread.
  // Ends Serve, once; also one that has not begun yet.
  void Stop();
  // Reads certificates and tokens from the files that `options` names. What is returned, called
  // once, uses them, soon, and cuts connections with the certificates before; it must not outlive
  // this. `options` may name only kinds of files that the server was opened with: an own token, for
  // example, must not be replaced by another. Of what it does not name, a token stays in use, and
  // certificates do; a client CA, however, must be named with them. Errors as of Open.
  [[nodiscard]] Result<std::function<void()>> ReadCredentials(const HttpServerOptions& options);
  // Every stream that had nothing to send is asked again. Costs next to nothing without streams.
  void WakeStreams();
  // The TCP port; 0 where there is no address.
  [[nodiscard]] std::uint16_t port() const {
    return tcp_socket_ ? http::PortOf(tcp_socket_) : std::uint16_t{0};
  }

 private:
  struct StopDaemon {
    void operator()(MHD_Daemon* daemon) const { MHD_stop_daemon(daemon); }
  };
  // A daemon of libmicrohttpd that is given its connections, has no thread and waits for nothing.
  struct Daemon {
    std::unique_ptr<http::TlsFiles> tls;  // null for plain HTTP
    std::unique_ptr<MHD_Daemon, StopDaemon> handle;

    // Readable when it has something to do; -1: there is none.
    [[nodiscard]] int Descriptor() const;
    // Whether it has something to do although the descriptor is not readable.
    [[nodiscard]] bool HasWork() const;
  };
  // Credentials that were read while the server runs, ready to be used.
  struct Credentials {
    std::string token_file;  // empty: the token stays
    std::optional<Daemon> tls;
  };

  HttpServer(const HttpServerOptions& options, HttpHandler handler, HttpErrorAnswer error_answer);
  [[nodiscard]] Result<void> Listen();
  [[nodiscard]] Result<void> ListenOnTcp();
  [[nodiscard]] Result<void> StartDaemons();
  [[nodiscard]] Result<Credentials> Read(const HttpServerOptions& options);
  [[nodiscard]] Result<Daemon> StartDaemon(std::optional<http::TlsFiles> tls);
  [[nodiscard]] bool has_tls() const {
    return !options_.address.empty() && !options_.tls_cert_file.empty();
  }
  void Wake();
  // Waits for the listening sockets, the daemons, a wake-up or the next tick, and does what is due.
  void Turn();
  void RunDaemons();
  void TakeCredentials();
  void Accept(int listener, bool is_unix);
  void Add(FileDescriptor socket, bool is_unix);
  [[nodiscard]] bool HasRoom();
  void Cut(http::Connection& connection);

  // Each is used by those behind it.
  const HttpServerOptions options_;
  http::ListeningSocket unix_socket_;  // either may be absent
  FileDescriptor tcp_socket_;
  http::OwnFile own_token_;
  FileDescriptor wake_;  // an eventfd
  std::atomic<bool> stop_ = false;
  http::Answers answers_;
  Daemon plain_;
  Daemon tls_;  // empty without TLS
  std::mutex mutex_;
  std::optional<Credentials> wanted_;  // guarded by it
  http::SteadyTime next_ask_;          // of streams that had nothing to send
  http::SteadyTime next_accept_;       // not before: there was no descriptor for a client
};

}  // namespace jettison
