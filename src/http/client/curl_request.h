#pragma once

#include <curl/curl.h>

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/units/result.h"

namespace jettison::http {

// What libcurl is told of a request.
struct CurlRequest {
  std::string method = "GET";
  std::string url;
  std::string unix_socket;  // its path; empty: the URL's host
  std::string connect_to;   // "host:port", "[::1]:port" instead of the URL's; empty: the URL's
  std::string ca_file;      // PEM, as the next two; empty: those that the system trusts
  std::string cert_file;    // empty: none
  std::string key_file;
  std::string basic_credentials;  // "user:password"; empty: none
  std::vector<std::string> headers{};
  const std::string* body = nullptr;  // must outlive the request; null: none is sent
  bool may_be_http2 = false;          // where the server speaks it, over TLS
};

// A handle of libcurl for one request. No signal is taken, no proxy, .netrc or redirect followed; a
// name is looked up on a thread of libcurl's own. Connections of TCP notice when the other side has
// vanished: after 10 s where something was sent, else after half a minute.
class CurlHandle {
 public:
  CurlHandle() : handle_(::curl_easy_init()) {}
  CurlHandle(const CurlHandle&) = delete;
  CurlHandle& operator=(const CurlHandle&) = delete;
  // It must not be under way.
  ~CurlHandle();

  // Once. kInvalidArgument or kInternal for what cannot be sent.
  [[nodiscard]] Result<void> Prepare(const CurlRequest& request);
  // An option of libcurl; the first that cannot be set is what Prepare returns.
  template <typename T>
  void Set(CURLoption option, T value) {
    static_assert(std::is_same_v<T, long> || std::is_same_v<T, curl_off_t> || std::is_pointer_v<T>);
    if (fault_ == CURLE_OK) fault_ = ::curl_easy_setopt(handle_, option, value);
  }
  [[nodiscard]] CURL* get() const { return handle_; }

  // Of the answer, as far as it is there.
  [[nodiscard]] int Status() const;
  // Why there is no connection; 0: libcurl does not know.
  [[nodiscard]] int ConnectErrno() const;
  // What libcurl's code for a request that failed means.
  [[nodiscard]] Error FailureOf(CURLcode code) const;

 private:
  void Append(curl_slist*& list, const std::string& line);
  void SetTls(const CurlRequest& request);

  CURL* handle_;
  CURLcode fault_ = CURLE_OK;
  curl_slist* headers_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> words_{};  // what libcurl says of an error
};

// What is wrong with a path (with its query) and the lines of a request's head: a space or a line
// break, with which they would be something else.
[[nodiscard]] Result<void> CanBeSent(std::string_view path,
                                     const std::vector<std::string_view>& lines);

}  // namespace jettison::http
