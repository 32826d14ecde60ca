#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/units/result.h"

namespace jettison {

// A request as it came in, complete, within every limit, and from somebody who may ask.
struct HttpRequest {
  std::string method;  // "GET" or "POST"; HEAD comes as GET, the server leaves the body out
  std::string path;    // decoded, without the query: "/api/v1/evictions/7"
  // Decoded; of a name that stands twice the first value counts, one without "=" is empty.
  std::map<std::string, std::string, std::less<>> query;
  std::string content_type;   // with its parameters: "application/json; charset=utf-8"; or empty
  std::string last_event_id;  // where an event stream broke off
  std::string body;
};

// The next bytes of a stream. Empty: there is nothing yet; asked again
// after HttpServer::WakeStreams, or a quarter of a second. Absent: the stream has ended. An error:
// there would be more, but it cannot be had; the connection is closed without an end, so that the
// client does not take what it has for all. Called on the server's thread, only when all bytes
// given before have gone out, so a slow reader piles up nothing: what it misses is the function's
// to skip.
using HttpStream = std::function<Result<std::optional<std::string>>()>;

// An answer.
struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  // Besides Content-Type and Content-Length, which the server sets.
  std::vector<std::pair<std::string, std::string>> headers;
  // Where set, sent instead of `body`, until it ends or the client goes; it is destroyed then. A
  // stream of text/event-stream may end early, because its client comes back for the rest.
  HttpStream stream;
};

}  // namespace jettison
