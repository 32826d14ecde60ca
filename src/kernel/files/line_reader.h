#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace jettison {

// Whether a line has nothing in it.
[[nodiscard]] inline bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Reads a stream line by line. Memory follows the longest line, not the stream, and no more than
// `most` bytes of a line are held: a file without an end of line, a device for instance, is not
// taken in whole.
class LineReader {
 public:
  static constexpr std::size_t kMost = std::size_t{256} << 20;

  explicit LineReader(std::FILE* stream, std::size_t most = kMost) : stream_(stream), most_(most) {}

  // The next line without its end; valid until the next call. Nothing at the end of the stream.
  [[nodiscard]] std::optional<std::string_view> Next();
  // Whether the line that Next gave last is only the beginning of a longer one, whose rest is
  // passed over.
  [[nodiscard]] bool IsCutOff() const { return is_cut_off_; }
  // The message for a line that was cut off: "the line is longer than 256 MiB".
  [[nodiscard]] std::string TooLong() const;
  // Counted from 1: the number of the line that Next gave last.
  [[nodiscard]] std::size_t line_number() const { return line_number_; }
  // Whether the stream ended because it could not be read further.
  [[nodiscard]] bool Failed() const { return std::ferror(stream_) != 0; }

 private:
  std::FILE* stream_;
  std::size_t most_;
  std::string line_;
  std::size_t line_number_ = 0;
  bool is_cut_off_ = false;
};

}  // namespace jettison
