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
  // Streams that had nothing to send are asked again this often; zero: only by WakeStreams.
  Duration ask_streams_every{0};
  // Called in Serve when the socket's file was gone: it was made anew, or could not be. It is
  // looked for once a minute, and when credentials are used that were read again.
  std::function<void(const Result<void>&)> on_socket = nullptr;
};

namespace http {

// What a server is made of, listening already.
struct Parts {
  HttpServerOptions options;
  HttpHandler handler;
  HttpErrorAnswer error_answer;
  Access access{"", false, ""};
  ListeningSocket unix_socket{};  // either may be absent
  FileDescriptor tcp_socket{};
  std::optional<TlsFiles> tls{};  // of the TCP socket
  OwnFile own_token{};
};
// Prepares all of them, and listens. Errors as of HttpServer::Open.
[[nodiscard]] Result<Parts> PartsOf(const HttpServerOptions& options, HttpHandler handler,
                                    HttpErrorAnswer error_answer);

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
  std::string token_file;  // empty: the token stays
  std::optional<Daemon> tls;
};

}  // namespace http

// A server of HTTP/1.1 on a unix socket, a TCP address or both, on libmicrohttpd. All of it happens
// on the one thread that is in Serve, which wakes once a minute while there is no connection.
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
  // Reads certificates and tokens from the files that `options` names, and keeps them ready. It may
  // name only kinds of files that the server was opened with: an own token, for example, must not
  // be replaced by another. Of what it does not name, a token stays in use, and certificates do; a
  // client CA, however, must be named with them. Errors as of Open, and then nothing has changed.
  [[nodiscard]] Result<void> ReadCredentials(const HttpServerOptions& options);
  // Uses what was read last, soon. Connections with the certificates before are cut.
  void UseCredentials();
  // Every stream that had nothing to send is asked again. Costs next to nothing without streams.
  void WakeStreams();
  // The TCP port; 0 where there is no address.
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  // The loop over the listening sockets, the daemons, the sockets of streams and a wake-up.
  HttpServer(http::Parts parts, FileDescriptor wake);
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
