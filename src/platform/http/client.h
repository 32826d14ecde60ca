#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/http/message.h"
#include "units/duration.h"
#include "units/result.h"

namespace jettison {

// Whom to ask, and how.
struct HttpTarget {
  // "unix:///run/jettison/jettison.sock", "http://127.0.0.1:10350", "https://node-1:10350".
  std::string endpoint = "unix:///run/jettison/jettison.sock";
  Duration timeout = std::chrono::seconds(5);  // for the whole, from connecting to the last byte
  std::size_t max_response_bytes = std::size_t{64} << 20;
  std::string server_ca_file;  // PEM; empty: those that the system trusts
  std::string cert_file;       // PEM; empty: no client certificate
  std::string private_key_file;
  std::string bearer_token;       // empty: none is sent
  std::string basic_credentials;  // "user:password"; empty, or beside a token: none are sent
};

// The answer, whatever its status; redirects are not followed. What fails is the way there:
// - kInvalidArgument: an endpoint of another form, a certificate that cannot be used;
// - kUnavailable: nobody listens there, with what to do about it; kPermissionDenied: not for us;
// - kDeadlineExceeded: not all of it came in time;
// - kInternal: not HTTP, too large, broken off.
// `path` begins with "/" and has its query with it, its parts encoded (EncodedForUrl). Both wait,
// and the name of a host is looked up with the resolver's own time limits.
[[nodiscard]] Result<HttpResponse> HttpGet(const HttpTarget& target, const std::string& path);
[[nodiscard]] Result<HttpResponse> HttpPost(const HttpTarget& target, const std::string& path,
                                            const std::string& body,
                                            const std::string& content_type = "application/json");

// One server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html).
struct HttpEvent {
  std::string id;    // the last one that was sent, with this event or before
  std::string type;  // "message" where none was sent
  std::string data;  // lines joined with "\n"
};

// An event stream that is open, to be read beside other things (a keyboard) with poll.
class HttpEventStream {
 public:
  // Asks for `path`; waits for the answer's head, at most `target.timeout`. An answer other than
  // 200 is an error with the status and the first line of its body. `last_event_id`, unless empty,
  // tells the server where an earlier stream broke off.
  [[nodiscard]] static Result<std::unique_ptr<HttpEventStream>> Open(
      const HttpTarget& target, const std::string& path, const std::string& last_event_id = "");
  HttpEventStream(const HttpEventStream&) = delete;
  HttpEventStream& operator=(const HttpEventStream&) = delete;
  ~HttpEventStream();

  // To poll for reading; it belongs to this object.
  [[nodiscard]] int descriptor() const;
  // The events that have come whole since the last call, perhaps none; never waits. kUnavailable
  // once the server has ended the stream (and all that came before has been read).
  [[nodiscard]] Result<std::vector<HttpEvent>> Read();

 private:
  class Core;
  explicit HttpEventStream(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

// A text as it may stand in a query or in one part of a path: "a b/c" -> "a%20b%2Fc".
[[nodiscard]] std::string EncodedForUrl(std::string_view text);

}  // namespace jettison
