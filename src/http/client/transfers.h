#pragma once

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Whom to ask, and what TLS needs for that, as texts.
struct HttpPeer {
  std::string endpoint;  // "https://10.96.0.1:443", "http://127.0.0.1:8080", "unix:///run/j.sock"
  std::string server_name;  // whose certificate the server must have; empty: the endpoint's host
  std::string ca_pem;       // who signs it; empty: those that the system trusts
  std::string cert_pem;     // empty: no client certificate
  std::string key_pem;      // of `cert_pem`
  std::string basic_credentials = {};  // "user:password"; empty, or beside a token: none are sent
};

// One request. All limits are times from when it was handed over.
struct HttpExchange {
  std::string method = "GET";
  std::string path;                         // with its query, its parts encoded (EncodedForUrl)
  std::string accept = "application/json";  // empty: anything
  std::string content_type;
  std::string body;                             // empty: none is sent
  std::string bearer_token;                     // empty: none is sent
  Duration timeout = std::chrono::seconds(10);  // for the whole
  Duration answers_within{0};  // until the head of the answer is there; zero: `timeout`
  Duration silence{0};         // the longest without a byte behind the head; zero: no limit
  // Of the body; of a stream, what may come at a time.
  std::size_t most_bytes = std::size_t{4} << 20;
};

// What was answered, whatever its status.
struct HttpAnswer {
  int status = 0;
  std::string content_type = {};
  std::string location = {};                 // of a redirect, which is not followed: a whole URL
  std::string body = {};                     // of a stream with a status of 2xx: empty
  bool is_too_large = false;                 // it had more than `most_bytes`, and is left out
  std::optional<Duration> retry_after = {};  // "Retry-After", in whole seconds
};

// Many requests to one server at a time, each of which may last, on connections that stay open:
// over HTTP/2, where the server speaks it, all on one, else on one for each that is under way. No
// signal is taken, no proxy, .netrc or redirect followed; a name is looked up on a thread of
// libcurl's own. Connections of TCP notice when the other side has vanished: after 10 s where
// something was sent, else after half a minute. One thread starts them and takes the answers in
// Turn, which alone waits for the network; nobody else is kept waiting.
class HttpTransfers {
 public:
  using Id = std::uint64_t;
  // A stream: first without bytes, once the answer has begun with a status of 2xx, then its bytes
  // as they come.
  using OnBytes = std::function<void(std::string_view bytes)>;
  // Once, at the end. What fails is the way there:
  // - kUnavailable: nobody listens, no address, the connection broke or its TLS failed;
  // - kPermissionDenied: the server's certificate is not from whom it should be;
  // - kDeadlineExceeded: one of the limits of time;
  // - kInvalidArgument: a request that cannot be sent;
  // - kInternal: not HTTP, or more bytes of a stream at a time than there may be.
  using OnEnd = std::function<void(Result<HttpAnswer>)>;

  // kInvalidArgument for an endpoint of another form.
  // Certificates and keys that cannot be used (FaultOfTls finds them) fail each exchange.
  [[nodiscard]] static Result<std::unique_ptr<HttpTransfers>> Open(const HttpPeer& peer);
  HttpTransfers(const HttpTransfers&) = delete;
  HttpTransfers& operator=(const HttpTransfers&) = delete;
  // Calls nobody back.
  ~HttpTransfers();

  // From now on, new connections use the certificates of this peer, and no new exchange uses a
  // connection that was made with others. Its endpoint is not looked at. kUnavailable: there is no
  // descriptor or no memory for them, and nothing has changed.
  [[nodiscard]] Result<void> UseTls(const HttpPeer& peer);
  // Calls back from a later Turn only.
  Id Start(HttpExchange exchange, OnEnd on_end, OnBytes on_bytes = {});
  // Cancels an exchange: none of its callbacks is called any more. An exchange that has ended is
  // ignored.
  void Cancel(Id id);
  // Waits for at most so long until anything happens, and calls back for all that did. Callbacks
  // may call Start and Cancel, but not Turn.
  void Turn(Duration most);
  [[nodiscard]] std::size_t under_way() const { return exchanges_.size(); }
  // Why the exchange that ended last had no connection, while its end is told; 0: it had one.
  [[nodiscard]] int connect_errno() const { return connect_errno_; }

  // Ends the Turn that waits, or the next one, at once. On any thread.
  void Wake();

 private:
  struct Pending;
  // The certificates of the CAs and of the client, and its key, as files in memory; invalid: none.
  struct TlsInMemory {
    FileDescriptor ca;
    FileDescriptor certificate;
    FileDescriptor key;
  };
  HttpTransfers();
  // The name of such a file for libcurl.
  [[nodiscard]] std::string NameOf(const FileDescriptor& file) const;
  void TellEnd(Id id, std::chrono::steady_clock::time_point now);

  CURLM* multi_ = nullptr;
  std::map<Id, std::unique_ptr<Pending>> exchanges_;  // in the order in which they were begun
  std::vector<std::unique_ptr<Pending>> gone_;        // cancelled, perhaps by their own callback
  Id next_id_ = 1;
  std::string origin_;       // "https://host:port"
  std::string unix_socket_;  // its path; empty: the origin's host
  std::string connect_to_;   // "[::1]:port" instead of the origin's; empty: the origin's
  std::string basic_credentials_;
  TlsInMemory tls_;
  TlsInMemory tls_before_;  // of exchanges that had begun when it was replaced
  std::size_t generation_ = 0;
  int connect_errno_ = 0;
  bool is_silent_ = false;  // an exchange has had no answer in time since the last was begun
};

}  // namespace jettison
