#include "kernel/files/line_reader.h"

#include <fmt/format.h>

namespace jettison {

std::optional<std::string_view> LineReader::Next() {
  int next = 0;
  while (is_cut_off_ && next != '\n' && next != EOF) next = ::getc_unlocked(stream_);
  is_cut_off_ = false;
  line_.clear();
  while ((next = ::getc_unlocked(stream_)) != EOF && next != '\n') {
    if (line_.size() == most_) {
      std::ungetc(next, stream_);
      is_cut_off_ = true;
      break;
    }
    line_ += static_cast<char>(next);
  }
  if (next == EOF && line_.empty()) return std::nullopt;
  ++line_number_;
  return line_;
}

std::string LineReader::TooLong() const {
  constexpr std::size_t kMi = std::size_t{1} << 20;
  return most_ % kMi == 0 ? fmt::format("the line is longer than {} MiB", most_ / kMi)
                          : fmt::format("the line is longer than {} bytes", most_);
}

}  // namespace jettison
