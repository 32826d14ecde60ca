#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "http/message.h"

namespace jettison {

// The server to ask, and how.
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
  bool is_agent = true;           // where nobody answers, how an agent is started is said, too
  // Takes the body of an answer with status 200 piece by piece, as it comes; false breaks it off.
  // Empty: the answer holds it.
  std::function<bool(std::string_view piece)> take_body = nullptr;
};

// The answer, whatever its status, without its headers but for Content-Type, and Location (a whole
// URL) where it is a redirect. Redirects are not followed, and no proxy is asked, whatever the
// environment says. What fails is the way there:
// - kInvalidArgument: an endpoint of another form, a certificate that cannot be used;
// - kUnavailable: nobody listens there, with what to do about it, or the answer was broken off;
// - kPermissionDenied: not for us; kDeadlineExceeded: not all of it came in time;
// - kInternal: not HTTP, too large.
// `path` begins with "/" and has its query with it, its parts encoded (EncodedForUrl). Both wait
// on the caller's thread.
[[nodiscard]] Result<HttpResponse> HttpGet(const HttpTarget& target, const std::string& path);
[[nodiscard]] Result<HttpResponse> HttpPost(const HttpTarget& target, const std::string& path,
                                            const std::string& body,
                                            const std::string& content_type = "application/json");

// A text as it may stand in a query or in one part of a path: "a b/c" -> "a%20b%2Fc".
[[nodiscard]] std::string EncodedForUrl(std::string_view text);

}  // namespace jettison
