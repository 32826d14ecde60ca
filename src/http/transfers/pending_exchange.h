#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

#include "core/units/result.h"
#include "http/client/curl_library.h"
#include "http/transfers/transfers.h"

namespace jettison::http {

// How a peer is reached, the same for all exchanges with it.
struct PeerRoute {
  std::string origin;  // "https://10.96.0.1:443"
  bool is_tls = false;
  std::string known_addresses;  // KnownAddresses; empty: the host is an address
  std::string ca_file;          // empty: those that the system trusts
  std::string cert_file;        // empty: none
  std::string key_file;
};

// One request on its way, as libcurl has it.
class PendingExchange {
 public:
  using Time = std::chrono::steady_clock::time_point;

  PendingExchange(const CurlLibrary& curl, HttpExchange asked, HttpTransfers::OnEnd on_end,
                  HttpTransfers::OnBytes on_bytes);
  PendingExchange(const PendingExchange&) = delete;
  PendingExchange& operator=(const PendingExchange&) = delete;
  // It must not be under way.
  ~PendingExchange();

  // Once, before it is under way. `anew`: over a connection of its own making.
  [[nodiscard]] Result<void> Prepare(const PeerRoute& route, bool anew = false);
  // No new exchange uses this connection, which is closed when no exchange is under way on it. The
  // peer may be gone without notice, and HTTP/2 would send the next exchange over it, too.
  void DistrustConnection() { curl_.easy_setopt(handle_, CURLOPT_FORBID_REUSE, 1L); }
  [[nodiscard]] const HttpExchange& asked() const { return asked_; }
  [[nodiscard]] CURL* handle() const { return handle_; }
  // The exchange of a handle.
  [[nodiscard]] static PendingExchange& Of(const CurlLibrary& curl, CURL* handle);

  // When the first of its limits of time is reached, as things stand.
  [[nodiscard]] Time Due() const;
  void EndBy(CURLcode code) { ended_by_ = code; }
  [[nodiscard]] bool has_ended() const { return ended_by_.has_value(); }
  // Whether nobody was reached, so that the host may have moved.
  [[nodiscard]] bool was_unreachable() const;

  // Tells once that a stream has begun.
  void TellBegin();
  // Hands over the bytes of a stream that came since.
  void TellBytes();
  // Hands over the end: the answer, or why there is none.
  void TellEnd() const { on_end_(Outcome()); }
  void TellEnd(Error error) const { on_end_(Fail(std::move(error))); }

 private:
  template <typename T>
  void Set(CURLoption option, T value) {
    static_assert(std::is_same_v<T, long> || std::is_pointer_v<T>);
    if (fault_ == CURLE_OK) fault_ = curl_.easy_setopt(handle_, option, value);
  }
  void SetHeader(const std::string& line);
  void SetConnection(const PeerRoute& route);
  void SetTls(const PeerRoute& route);
  void SetQuestion(const PeerRoute& route);
  [[nodiscard]] int Status() const;
  [[nodiscard]] bool IsStreaming() const;
  [[nodiscard]] Result<HttpAnswer> Outcome() const;
  [[nodiscard]] Error Failure() const;

  static curl_socket_t OpenSocket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static std::size_t TakeHeader(char* bytes, std::size_t one, std::size_t count, void* self);
  static std::size_t TakeBody(char* bytes, std::size_t one, std::size_t count, void* self);

  const CurlLibrary& curl_;
  const HttpExchange asked_;
  const HttpTransfers::OnEnd on_end_;
  const HttpTransfers::OnBytes on_bytes_;
  CURL* handle_;
  CURLcode fault_ = CURLE_OK;  // the first in setting it up
  curl_slist* headers_ = nullptr;
  curl_slist* addresses_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> words_{};  // what libcurl says of an error
  const Time start_ = std::chrono::steady_clock::now();
  std::optional<Time> last_byte_;  // of the answer, once its head has begun
  std::optional<CURLcode> ended_by_;
  bool has_begun_ = false;  // and that was told
  bool is_too_large_ = false;
  std::string body_;
};

}  // namespace jettison::http
