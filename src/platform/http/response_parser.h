#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "platform/http/message.h"
#include "units/result.h"

namespace jettison::http {

// Takes the bytes of one answer of HTTP/1.1 (RFC 9112) as they come. Interim answers (100 Continue)
// are passed over. The body's length is Content-Length, or it comes in chunks, or it ends with the
// connection; trailers are dropped.
class ResponseParser {
 public:
  // A head of more than kLongestHead bytes, or a body of more than `max_body_bytes`, is an error.
  explicit ResponseParser(std::size_t max_body_bytes, bool is_head_request = false)
      : max_body_bytes_(max_body_bytes), is_head_request_(is_head_request) {}

  // kInternal where it is not HTTP, or too large; nothing may be fed any more then.
  [[nodiscard]] Result<void> Feed(std::string_view bytes);
  // The connection ended: kInternal where that is in the middle.
  [[nodiscard]] Result<void> End();

  [[nodiscard]] bool has_head() const { return state_ != State::kHead; }
  [[nodiscard]] bool is_done() const { return state_ == State::kDone; }
  // Status, content type and headers, once the head is there; the body as far as it is there. What
  // has been taken out of the body by the caller does not count for its size.
  [[nodiscard]] HttpResponse& response() { return response_; }

  static constexpr std::size_t kLongestHead = 65536;

 private:
  enum class State : std::uint8_t {
    kHead,
    kLength,
    kUntilEnd,
    kChunkSize,
    kChunk,
    kTrailers,
    kDone
  };

  Result<bool> Step();  // false: more bytes are needed
  Result<bool> TakeHead();
  Result<void> TakeLine(std::string_view line);
  Result<void> ChooseBody();
  Result<bool> TakeBody(std::size_t bytes);
  Result<bool> TakeChunkSize();
  Result<bool> TakeTrailer();
  // The next line, without its break; absent: it is not whole yet.
  Result<std::optional<std::string>> Line();

  std::size_t max_body_bytes_;
  bool is_head_request_;
  State state_ = State::kHead;
  std::string pending_;     // not understood yet
  std::uint64_t left_ = 0;  // bytes of the body, or of the chunk and its line break
  std::optional<std::uint64_t> length_;
  bool is_chunked_ = false;
  HttpResponse response_;
};

}  // namespace jettison::http
