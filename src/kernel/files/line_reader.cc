#include "kernel/files/line_reader.h"

#include <cstring>

namespace jettison {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;

}  // namespace

// Moves the rest to the front and reads more behind it; false at the end of the stream.
bool LineReader::Fill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < end_ + kChunk + padding_) buffer_.resize((end_ + kChunk) * 2 + padding_);
  const std::size_t got =
      std::fread(buffer_.data() + end_, 1, buffer_.size() - padding_ - end_, stream_);
  end_ += got;
  return got > 0;
}

std::optional<std::string_view> LineReader::Next() {
  std::size_t searched = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_;
    const std::size_t rest = end_ - begin_;
    if (rest > searched) {
      if (const void* newline = std::memchr(from + searched, '\n', rest - searched)) {
        const auto length = static_cast<std::size_t>(static_cast<const char*>(newline) - from);
        begin_ += length + 1;
        ++line_number_;
        return std::string_view(from, length);
      }
    }
    searched = rest;
    if (Fill()) continue;
    if (end_ == begin_) return std::nullopt;
    const std::string_view last(buffer_.data() + begin_, end_ - begin_);
    begin_ = end_;
    ++line_number_;
    return last;
  }
}

}  // namespace jettison
