#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

namespace jettison {

// Whether a line has nothing in it.
[[nodiscard]] inline bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Reads a stream line by line. Memory follows the longest line, not the stream, and the bytes
// behind each line stay readable for `padding` bytes, as SIMD parsers want it.
class LineReader {
 public:
  LineReader(std::FILE* stream, std::size_t padding) : stream_(stream), padding_(padding) {}

  // The next line without its end; valid until the next call. Nothing at the end of the stream.
  [[nodiscard]] std::optional<std::string_view> Next();
  // Counted from 1: the number of the line that Next gave last.
  [[nodiscard]] std::size_t line_number() const { return line_number_; }
  // Whether the stream ended because it could not be read further.
  [[nodiscard]] bool Failed() const { return std::ferror(stream_) != 0; }

 private:
  bool Fill();

  std::FILE* stream_;
  std::size_t padding_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what was not handed out yet
  std::size_t end_ = 0;    // of what was read
  std::size_t line_number_ = 0;
};

}  // namespace jettison
