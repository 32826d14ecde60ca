#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

#include "core/units/result.h"
#include "http/client/client.h"
#include "http/client/curl_library.h"
#include "http/endpoint.h"

namespace jettison::http {

// What is asked, but for whom.
struct Question {
  const std::string& path;
  const std::string* body = nullptr;  // null: a GET, else a POST
  std::string content_type;           // of the body
};

// One question on its way, by libcurl: HTTP/1.1 on a connection of its own. No thread is started,
// no signal taken, no proxy, .netrc or redirect followed.
class Transfer {
 public:
  // All three must outlive this.
  Transfer(const CurlLibrary& curl, const HttpTarget& target, const Endpoint& endpoint);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer();

  // Once. Errors as of HttpGet.
  [[nodiscard]] Result<HttpResponse> Perform(const Question& question);

 private:
  template <typename T>
  void Set(CURLoption option, T value) {
    static_assert(std::is_same_v<T, long> || std::is_pointer_v<T>);
    if (fault_ == CURLE_OK) fault_ = curl_.easy_setopt(handle_, option, value);
  }
  void SetHeader(const std::string& line);
  Result<void> Prepare(const Question& question);
  void SetConnection();
  Result<void> SetAddresses();
  void SetTls();
  void SetCredentials();
  void SetQuestion(const Question& question);
  [[nodiscard]] CURLcode PerformInTime();
  [[nodiscard]] bool IsQueueFull(CURLcode code) const;
  [[nodiscard]] int ConnectErrno() const;
  [[nodiscard]] Error Failure(CURLcode code) const;
  [[nodiscard]] HttpResponse TakeAnswer();

  static curl_socket_t OpenSocket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static std::size_t TakeBody(char* bytes, std::size_t one, std::size_t count, void* self);

  const CurlLibrary& curl_;
  const HttpTarget& target_;
  const Endpoint& endpoint_;
  CURL* handle_;
  CURLcode fault_ = CURLE_OK;  // the first in setting it up
  curl_slist* headers_ = nullptr;
  curl_slist* addresses_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> words_{};  // what libcurl says of an error
  bool is_too_large_ = false;
  std::string body_;
};

}  // namespace jettison::http
