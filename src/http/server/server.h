#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "http/message.h"

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

// Makes the answer to a request. It is not called from two threads at once, and must not wait.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// Makes the answer for an error that the server itself finds: status (4xx or 5xx), a sentence.
using HttpErrorAnswer = std::function<HttpResponse(int status, std::string_view message)>;

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
  [[nodiscard]] std::uint16_t port() const;

 private:
  class Core;
  explicit HttpServer(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace jettison
