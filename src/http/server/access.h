#pragma once

#include <microhttpd.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "http/message.h"
#include "http/server/listen.h"

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

}  // namespace jettison

namespace jettison::http {

// Most bytes of a token, white space around it included.
constexpr std::size_t kLongestToken = 4096;

// The token of a file, its white space at both ends left out; one line. kInvalidArgument: it is
// empty, of several words, or longer than kLongestToken. A file is short, and read for each
// request.
[[nodiscard]] Result<std::string> ReadToken(const std::string& path);

// Makes a token of random bytes in a file that only its owner, root, can read. A file that is there
// is replaced, and its folder (0755) is made where it is missing.
[[nodiscard]] Result<OwnFile> MakeOwnToken(const std::string& path);

struct Connection;
struct Exchange;

// A header of the request, its name in any case; none: it was not sent.
[[nodiscard]] inline std::optional<std::string_view> HeaderOf(MHD_Connection* handle,
                                                              const char* name) {
  const char* value = MHD_lookup_connection_value(handle, MHD_HEADER_KIND, name);
  if (value == nullptr) return std::nullopt;
  return value;
}

// An error that the server itself answers with.
struct Refusal {
  int status = 400;
  std::string message;
  std::pair<std::string, std::string> header;  // name, value; empty: none
};

// Which clients may send requests: without a file of a token and a CA, every one.
struct Access {
  std::string token_file;  // empty: no token is asked for
  bool has_client_ca = false;
  bool is_own_token = false;  // the agent has made the token itself, for root

  // Why the client may not ask; absent: it may. A client of the unix socket may ask. On TCP a
  // client needs one of the configured means: a certificate or a token. Where neither is
  // configured, which is possible on a loopback address only, the Host must be an IP address or
  // localhost. Otherwise a web page whose name resolves to this machine could make a browser send
  // requests. The same page could reach a socket that is forwarded to a port of a browser's
  // machine, so the Host must not be a domain name there.
  [[nodiscard]] std::optional<Refusal> RefusalOf(MHD_Connection* handle,
                                                 const Connection& connection) const;
};

// The head of a request as libmicrohttpd hands it over.
struct Head {
  MHD_Connection* handle;
  std::string_view path;  // decoded
  std::string_view method;
  std::string_view version;
};

// What is wrong with a request as far as its head tells; absent: its body may come, the length of
// which `exchange` then has.
[[nodiscard]] std::optional<Refusal> RefusalOf(const Head& head, Exchange& exchange,
                                               const HttpLimits& limits);

// The request, all of it being there.
[[nodiscard]] HttpRequest RequestOf(const Head& head, std::string body);

}  // namespace jettison::http
