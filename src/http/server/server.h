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

#include "core/config/agent_config.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "http/endpoint.h"
#include "http/message.h"
#include "http/server/listen.h"
#include "http/server/request.h"
#include "http/tls_files.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Makes the answer to a request. It is not called from two threads at once, and must not wait.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// Makes the answer for an error that the server itself finds: status (4xx or 5xx), a sentence.
using HttpErrorAnswer = std::function<HttpResponse(int status, std::string_view message)>;

// A server of HTTP/1.1 on a unix socket, a TCP address or both, on libmicrohttpd. All of it happens
// on the one thread that is in Serve, which sleeps while there is no connection and no news.
class HttpServer {
 public:
  // `config`: where to listen and who may ask; an empty text means none. `token_folder`: where the
  // server puts a token that it makes itself (OwnTokenFile).
  HttpServer(const HttpConfig& config, HttpHandler handler, HttpErrorAnswer error_answer,
             const HttpLimits& limits = {}, std::string_view token_folder = http::kOwnTokenFolder);
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
  // - kUnavailable: there are too few descriptors to serve with.
  [[nodiscard]] Result<void> Listen();
  // Answers until Stop. Where Listen was refused, it is tried again every 2 s, and `on_listen` is
  // told how that went. The caller's thread should be an ordinary one, with every signal blocked.
  void Serve(const std::function<void(const Result<void>&)>& on_listen = {});

  // The rest may be called from every thread.
  // Ends Serve, once; also one that has not begun yet.
  void Stop();
  // Sees to it that the files of certificates and tokens that `config` names can be used. What is
  // returned, called once, has the server use them, soon, which cuts connections with other
  // certificates; it must not outlive this. Errors as of Listen.
  [[nodiscard]] Result<std::function<void()>> ReadCredentials(const HttpConfig& config);
  // Every stream that had nothing to send is asked again.
  void WakeStreams();
  // The TCP port; 0 where there is no address.
  [[nodiscard]] std::uint16_t port() const {
    return tcp_.socket ? http::PortOf(tcp_.socket) : std::uint16_t{0};
  }
  // The file of the token that the server makes itself; empty: it makes none.
  [[nodiscard]] const std::string& own_token_file() const { return access_.own_token_file; }

 private:
  struct StopDaemon {
    void operator()(MHD_Daemon* daemon) const { MHD_stop_daemon(daemon); }
  };
  // A daemon of libmicrohttpd that is handed its clients, has no thread and waits for nothing.
  using Daemon = std::unique_ptr<MHD_Daemon, StopDaemon>;
  struct Listener {
    FileDescriptor socket;
    Daemon daemon;  // of its clients
  };
  struct Credentials {
    http::TlsFiles tls;
    Daemon daemon;  // that uses them; null: TLS is not to be read again
  };
  struct Stream;  // on its way to one client

  // One connection.
  struct Connection {
    int descriptor = -1;  // libmicrohttpd's to close
    bool is_unix = false;
    bool is_answering = false;  // else a request is on its way, or may come
    bool is_cut = false;        // it is going; a stream ends, whatever it had to send
    std::chrono::steady_clock::time_point since;     // when it last had a request answered, or came
    std::chrono::steady_clock::time_point deadline;  // when it is cut; not while it is suspended
    MHD_Connection* suspended = nullptr;             // a stream that has nothing to send
    http::Exchange exchange;
  };

  [[nodiscard]] Result<void> ListenOnUnix();
  [[nodiscard]] Result<void> ListenOnTcp();
  // Without a certificate: for plain HTTP.
  [[nodiscard]] Result<Daemon> StartDaemon(const http::TlsFiles& tls);
  // Waits for the daemons, a wake-up or the next tick, and does what is due.
  void Turn();
  void StopListening();
  void RunDaemons();
  void Accept(const Listener& listener);
  void TakeCredentials();
  // Connections that are not cut.
  [[nodiscard]] std::size_t Open() const;
  void MakeRoom();
  void Cut(Connection& connection);
  // Asks a stream again that had nothing to send.
  void Resume(Connection& connection) const;

  // answers.cc: what libmicrohttpd calls, with this as `self`, in this order for a connection.
  static void OnConnection(void* self, MHD_Connection* handle, void** place,
                           MHD_ConnectionNotificationCode what);
  static MHD_Result OnRequest(void* self, MHD_Connection* handle, const char* path,
                              const char* method, const char* version, const char* bytes,
                              std::size_t* size, void** seen);
  static void OnAnswered(void* self, MHD_Connection* handle, void** seen,
                         MHD_RequestTerminationCode why);
  static Connection& ConnectionOf(MHD_Connection* handle);
  // Each answers, or returns false: the connection is to be closed.
  bool Begin(const http::Head& head, Connection& connection);
  bool Answer(const http::Head& head, Connection& connection);
  bool SendStream(MHD_Connection* handle, Connection& connection, HttpResponse response);
  bool Refuse(MHD_Connection* handle, Connection& connection, const http::Refusal& refusal);
  bool Queue(MHD_Connection* handle, Connection& connection, HttpResponse response,
             std::shared_ptr<void> share);
  static ssize_t ReadStream(void* stream, std::uint64_t position, char* buffer, std::size_t size);
  void Answering(Connection& connection) const;

  // Each is used by those behind it.
  http::Access access_;  // with the files in use
  const HttpLimits limits_;
  const HttpHandler handler_;
  const HttpErrorAnswer error_answer_;
  ino_t socket_inode_ = 0;     // of the unix socket that it has made; 0: none
  ino_t own_token_inode_ = 0;  // the same of the token
  FileDescriptor wake_;        // an eventfd
  std::atomic<bool> stop_ = false;
  http::Ledger held_{limits_.held_bytes};
  http::Ledger streams_{limits_.streams};
  std::map<int, Connection> connections_;  // by descriptor
  Listener unix_;                          // either may be empty
  Listener tcp_;
  http::TlsFiles tls_;                                 // of `tcp_`
  std::chrono::steady_clock::time_point next_accept_;  // after there was no descriptor
  std::chrono::steady_clock::time_point next_ask_;     // of streams that had nothing to send
  std::mutex mutex_;                                   // guards what follows
  std::shared_ptr<Credentials> next_;                  // to be used from the next turn on
};

}  // namespace jettison
