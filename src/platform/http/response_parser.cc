#include "platform/http/response_parser.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace jettison::http {
namespace {

constexpr std::size_t kLongestLine = 4096;  // of those between and behind chunks

tl::unexpected<Error> NotHttp(std::string_view what) {
  return Fail(ErrorCode::kInternal, fmt::format("the answer is not HTTP/1.1: {}", what));
}

bool IsSame(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The whole text as a number; absent where it is none, or too large.
std::optional<std::uint64_t> NumberOf(std::string_view text, int base) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc{} || stop != text.data() + text.size())
    return std::nullopt;
  return number;
}

// "HTTP/1.1 200 OK" -> 200.
std::optional<int> StatusOf(std::string_view line) {
  if (!line.starts_with("HTTP/1.") || line.size() < 12 || line[8] != ' ') return std::nullopt;
  if (line.size() > 12 && line[12] != ' ') return std::nullopt;
  const auto status = NumberOf(line.substr(9, 3), 10);
  if (!status || *status < 100 || *status > 999) return std::nullopt;
  return static_cast<int>(*status);
}

}  // namespace

Result<void> ResponseParser::Feed(std::string_view bytes) {
  pending_.append(bytes);
  for (;;) {
    const auto went_on = Step();
    if (!went_on) return Fail(went_on.error());
    if (!*went_on) return {};
  }
}

Result<void> ResponseParser::End() {
  if (state_ == State::kUntilEnd) state_ = State::kDone;
  if (state_ == State::kDone) return {};
  if (state_ == State::kHead && pending_.empty()) {
    return Fail(ErrorCode::kInternal, "the server closed the connection without an answer");
  }
  return Fail(ErrorCode::kInternal, "the server closed the connection in the middle of its answer");
}

Result<bool> ResponseParser::Step() {
  switch (state_) {
    case State::kHead: return TakeHead();
    case State::kLength:
      if (left_ == 0) {
        state_ = State::kDone;
        return true;
      }
      return TakeBody(left_);
    case State::kUntilEnd: return TakeBody(pending_.size());
    case State::kChunkSize: return TakeChunkSize();
    case State::kChunk:
      if (left_ > 2) return TakeBody(left_ - 2);
      if (pending_.size() < left_) return false;
      if (!pending_.starts_with("\r\n")) return NotHttp("a chunk has no end");
      pending_.erase(0, left_);
      state_ = State::kChunkSize;
      return true;
    case State::kTrailers: return TakeTrailer();
    case State::kDone: return false;
  }
  return false;
}

Result<bool> ResponseParser::TakeHead() {
  const std::size_t end = pending_.find("\r\n\r\n");
  if (std::min(end, pending_.size()) > kLongestHead) {
    return NotHttp(fmt::format("its head has more than {} bytes", kLongestHead));
  }
  if (end == std::string::npos) return false;
  const std::string head = pending_.substr(0, end + 2);
  pending_.erase(0, end + 4);
  const std::size_t first = head.find("\r\n");
  const auto status = StatusOf(std::string_view(head).substr(0, first));
  if (!status) return NotHttp("its first line is none of HTTP/1.1");
  if (*status < 200) return true;  // an interim answer; the next one follows
  response_ = {.status = *status, .content_type = ""};
  for (std::size_t at = first + 2; at < head.size();) {
    const std::size_t next = head.find("\r\n", at);
    if (auto taken = TakeLine(std::string_view(head).substr(at, next - at)); !taken) {
      return Fail(taken.error());
    }
    at = next + 2;
  }
  if (auto chosen = ChooseBody(); !chosen) return Fail(chosen.error());
  return true;
}

Result<void> ResponseParser::TakeLine(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return NotHttp("a header has no name");
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = Trimmed(line.substr(colon + 1));
  if (IsSame(name, "Content-Type")) {
    response_.content_type = value;
  } else if (IsSame(name, "Transfer-Encoding")) {
    if (!IsSame(value, "chunked")) return NotHttp("its transfer encoding is unknown");
    is_chunked_ = true;
  } else if (IsSame(name, "Content-Length")) {
    const auto length = NumberOf(value, 10);
    if (!length || (length_ && length_ != length)) return NotHttp("its length is no number");
    length_ = length;
  } else {
    response_.headers.emplace_back(name, value);
  }
  return {};
}

Result<void> ResponseParser::ChooseBody() {
  if (is_head_request_ || response_.status == 204 || response_.status == 304) {
    state_ = State::kDone;
  } else if (is_chunked_) {
    state_ = State::kChunkSize;
  } else if (length_) {
    if (*length_ > max_body_bytes_) {
      return Fail(ErrorCode::kInternal,
                  fmt::format("the answer has {} bytes, more than {}", *length_, max_body_bytes_));
    }
    left_ = *length_;
    state_ = State::kLength;
  } else {
    state_ = State::kUntilEnd;
  }
  return {};
}

Result<bool> ResponseParser::TakeBody(std::size_t bytes) {
  const std::size_t part = std::min(bytes, pending_.size());
  if (part > max_body_bytes_ - std::min(max_body_bytes_, response_.body.size())) {
    return Fail(ErrorCode::kInternal,
                fmt::format("the answer has more than {} bytes", max_body_bytes_));
  }
  response_.body.append(pending_, 0, part);
  pending_.erase(0, part);
  left_ -= std::min<std::uint64_t>(left_, part);
  return part > 0;
}

Result<bool> ResponseParser::TakeChunkSize() {
  const auto line = Line();
  if (!line) return Fail(line.error());
  if (!*line) return false;
  const std::string_view digits = Trimmed(std::string_view(**line).substr(0, (*line)->find(';')));
  const auto size = NumberOf(digits, 16);
  if (!size || *size > max_body_bytes_) return NotHttp("the size of a chunk is none, or too large");
  state_ = *size == 0 ? State::kTrailers : State::kChunk;
  left_ = *size == 0 ? 0 : *size + 2;
  return true;
}

Result<bool> ResponseParser::TakeTrailer() {
  const auto line = Line();
  if (!line) return Fail(line.error());
  if (*line && (*line)->empty()) state_ = State::kDone;
  return line->has_value();
}

Result<std::optional<std::string>> ResponseParser::Line() {
  const std::size_t end = pending_.find("\r\n");
  if (std::min(end, pending_.size()) > kLongestLine) {
    return NotHttp(fmt::format("a line between chunks has more than {} bytes", kLongestLine));
  }
  if (end == std::string::npos) return std::optional<std::string>();
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end + 2);
  return std::optional(std::move(line));
}

}  // namespace jettison::http
