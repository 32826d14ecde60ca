#include "kernel/files/line_reader.h"

#include <fmt/format.h>

#include <cstring>

namespace jettison {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;

}  // namespace

// Moves the rest to the front and reads more after it; false at the end of the stream.
bool LineReader::Fill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < end_ + kChunk) buffer_.resize((end_ + kChunk) * 2);
  const std::size_t got = std::fread(buffer_.data() + end_, 1, buffer_.size() - end_, stream_);
  end_ += got;
  return got > 0;
}

// Returns so many bytes, and continues after `end` bytes.
std::string_view LineReader::Take(std::size_t length, std::size_t end) {
  const std::string_view line(buffer_.data() + begin_, length);
  begin_ += end;
  ++line_number_;
  return line;
}

void LineReader::PassOverRest() {
  for (;;) {
    const char* const from = buffer_.data() + begin_;
    if (const void* newline = std::memchr(from, '\n', end_ - begin_)) {
      begin_ += static_cast<std::size_t>(static_cast<const char*>(newline) - from) + 1;
      return;
    }
    begin_ = end_;
    if (!Fill()) return;
  }
}

std::optional<std::string_view> LineReader::Next() {
  if (is_cut_off_) PassOverRest();
  is_cut_off_ = false;
  std::size_t searched = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_;
    const std::size_t rest = end_ - begin_;
    if (rest > searched) {
      if (const void* newline = std::memchr(from + searched, '\n', rest - searched)) {
        const auto length = static_cast<std::size_t>(static_cast<const char*>(newline) - from);
        if (length <= most_) return Take(length, length + 1);
      }
    }
    if (rest > most_) {
      is_cut_off_ = true;
      return Take(most_, most_);
    }
    searched = rest;
    if (Fill()) continue;
    if (end_ == begin_) return std::nullopt;
    return Take(rest, rest);
  }
}

std::string LineReader::TooLong() const {
  constexpr std::size_t kMi = std::size_t{1} << 20;
  return most_ % kMi == 0 ? fmt::format("the line is longer than {} MiB", most_ / kMi)
                          : fmt::format("the line is longer than {} bytes", most_);
}

}  // namespace jettison
