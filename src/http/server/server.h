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

#include "core/units/duration.h"
#include "core/units/result.h"
#include "http/message.h"
#include "http/server/listen.h"
#include "http/server/request.h"
#include "http/tls_files.h"
#include "ports/file_descriptor.h"

namespace jettison {

// What one client, and all of them together, may ask of the server.
struct HttpLimits {
  std::size_t target_bytes = 4096;                  // path and query as sent; beyond: 414
  std::size_t header_bytes = 8192;                  // request line and headers; beyond: 431
  std::size_t body_bytes = std::size_t{256} << 10;  // beyond: 413
  std::size_t bodies_bytes = std::size_t{1} << 20;  // of all requests together; beyond: 503
  // Of all answers until they are taken, and of what streams have under way. Beyond: 503, and a
  // stream ends.
  std::size_t held_bytes = std::size_t{7} << 20;
  std::size_t connections = 64;  // beyond: the oldest without a whole request goes, else 503
  std::size_t streams = 16;      // beyond: 503
  Duration request = std::chrono::seconds(10);  // from the first byte (or connecting) to the last
  Duration answer = std::chrono::seconds(30);   // to take an answer; of a stream, one chunk
  Duration idle = std::chrono::seconds(60);     // between an answer and the next request
};

// Makes the answer to a request. It is not called from two threads at once, and must not wait.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// Makes the answer for an error that the server itself finds: status (4xx or 5xx), a sentence.
using HttpErrorAnswer = std::function<HttpResponse(int status, std::string_view message)>;

// Where to listen and who may ask. An empty text means none.
struct HttpServerOptions {
  std::string socket_path;    // absolute; mode 0660, its folder is made where it is missing
  std::string socket_group;   // name or number of the group that owns the socket, else the process'
  std::string address;        // "127.0.0.1:10350", "[::1]:0" (any free port)
  std::string tls_cert_file;  // PEM, with intermediate certificates; needs the key
  std::string tls_private_key_file;  // PEM
  std::string client_ca_file;        // PEM: a client certificate signed by one of these may ask
  std::string bearer_token_file;     // who sends this token may ask; read again when it changes
  // A file to put a token into that is made for this server (MakeOwnToken); who sends it may ask.
  // Beside neither of the two before. Without any, everybody may on loopback.
  std::string own_token_file;
  HttpLimits limits;
};

// A server of HTTP/1.1 on a unix socket, a TCP address or both, on libmicrohttpd. All of it happens
// on the one thread that is in Serve, which sleeps while there is no connection and no news.
class HttpServer {
 public:
  HttpServer(const HttpServerOptions& options, HttpHandler handler, HttpErrorAnswer error_answer);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  // Serve must have returned. Closes every connection, destroys every stream, removes the socket
  // and the own token.
  ~HttpServer();

  // Listens; nobody is answered before Serve. May be called again where it was refused, with a
  // sentence that says what to do:
  // - an address other than loopback without TLS and without a client CA or a token (who is on the
  //   machine may ask a loopback address without), which the configuration refuses before;
  // - a socket that somebody still answers on; a stale one is replaced;
  // - certificates, keys, token files that cannot be read or are none;
  // - kUnavailable: there are too few descriptors or threads to serve with.
  [[nodiscard]] Result<void> Listen();
  // Answers until Stop. Where Listen was refused, it is tried again every 2 s, and `on_listen` is
  // told how that went. The caller's thread should be an ordinary one, with every signal blocked.
  void Serve(const std::function<void(const Result<void>&)>& on_listen = {});

  // The rest may be called from every thread.
  // Ends Serve, once; also one that has not begun yet.
  void Stop();
  // Reads certificates and tokens from the files that `options` names. What is returned, called
  // once, uses them, soon, and cuts connections with the certificates before; it must not outlive
  // this. `options` may name only kinds of files that the server was opened with: an own token, for
  // example, must not be replaced by another. Of what it does not name, a token stays in use, and
  // certificates do; a client CA, however, must be named with them. Errors as of Listen.
  [[nodiscard]] Result<std::function<void()>> ReadCredentials(const HttpServerOptions& options);
  // Every stream that had nothing to send is asked again.
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
  using Daemon = std::unique_ptr<MHD_Daemon, StopDaemon>;
  // Credentials that were read while the server runs, ready to be used.
  struct Credentials {
    std::string token_file;  // empty: the token stays
    Daemon tls;              // null: the certificates stay
  };
  struct Stream;  // on its way to one client

  [[nodiscard]] Result<void> ListenOnTcp();
  [[nodiscard]] Result<Credentials> Read(const HttpServerOptions& options);
  // `tls`: null for plain HTTP.
  [[nodiscard]] Result<Daemon> StartDaemon(const http::TlsFiles* tls);
  [[nodiscard]] bool has_tls() const {
    return !options_.address.empty() && !options_.tls_cert_file.empty();
  }
  // Waits for the listening sockets, the daemons, a wake-up or the next tick, and does what is due.
  void Turn();
  void StopListening();
  void RunDaemons();
  void TakeCredentials();
  void Use(Credentials credentials);
  void Accept(int listener, bool is_unix);
  void Add(FileDescriptor socket, bool is_unix);
  [[nodiscard]] bool HasRoom();
  void Cut(http::Connection& connection);
  // Asks one that waits again.
  void Resume(http::Connection& connection) const;

  // answers.cc: what libmicrohttpd calls, with this as `self`, in this order for a connection.
  static void OnConnection(void* self, MHD_Connection* handle, void** place,
                           MHD_ConnectionNotificationCode what);
  static void* OnTarget(void* self, const char* target, MHD_Connection* handle);
  static MHD_Result OnRequest(void* self, MHD_Connection* handle, const char* path,
                              const char* method, const char* version, const char* bytes,
                              std::size_t* size, void** seen);
  static void OnAnswered(void* self, MHD_Connection* handle, void** seen,
                         MHD_RequestTerminationCode why);
  // Each answers, or returns false: the connection is to be closed.
  bool Begin(const http::Head& head, http::Connection& connection);
  bool Answer(const http::Head& head, http::Connection& connection);
  bool SendStream(MHD_Connection* handle, http::Connection& connection, HttpResponse response);
  bool Refuse(MHD_Connection* handle, http::Connection& connection, const http::Refusal& refusal);
  bool Queue(MHD_Connection* handle, http::Connection& connection, HttpResponse response,
             std::shared_ptr<void> share);
  static ssize_t ReadStream(void* stream, std::uint64_t position, char* buffer, std::size_t size);
  void Answering(http::Connection& connection) const;

  // Each is used by those behind it.
  const HttpServerOptions options_;
  const HttpHandler handler_;
  const HttpErrorAnswer error_answer_;
  FileDescriptor unix_socket_;  // either may be absent
  FileDescriptor tcp_socket_;
  ino_t socket_inode_ = 0;        // of the socket that it has made; 0: none
  ino_t own_token_inode_ = 0;     // the same of the token
  bool has_credentials_ = false;  // they have been read
  FileDescriptor wake_;           // an eventfd
  std::atomic<bool> stop_ = false;
  http::Access access_;
  http::Ledger bodies_{options_.limits.bodies_bytes};
  http::Ledger answers_{options_.limits.held_bytes};
  http::Ledger streams_{options_.limits.streams};
  // By descriptor. One is put here before its daemon gets it; it leaves by itself.
  std::map<int, std::unique_ptr<http::Connection>> connections_;
  Daemon plain_;
  Daemon tls_;  // null without TLS
  std::mutex mutex_;
  std::optional<Credentials> wanted_;  // guarded by it
  http::SteadyTime next_ask_;          // of streams that had nothing to send
  http::SteadyTime next_accept_;       // not before: there was no descriptor for a client
};

}  // namespace jettison
