#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// A text that is overwritten again and again, on a disk that may be full meanwhile: a file of two
// slots, filled with blanks in advance and written in turn, in place. Each slot begins with a line
//
//   jettison slot 1 <sequence> <bytes> <hash>
//
// so that an incomplete text is detected: whenever the agent is killed, either the previous text or
// the new one is read.
class SlotFile {
 public:
  static constexpr std::size_t kSlotBytes = std::size_t{256} << 10;
  static constexpr std::size_t kHeadBytes = 100;
  static constexpr std::size_t kMostBytes = kSlotBytes - kHeadBytes;

  explicit SlotFile(std::string path) : path_(std::move(path)) {}

  // The text that was written last; absent where there is none. kInvalidArgument: what is there is
  // no such file, or both slots are damaged.
  [[nodiscard]] Result<std::optional<std::string>> Read();
  // Moves the file aside, as one with that ending. Returns its new path.
  [[nodiscard]] Result<std::string> PutAside(std::string_view ending = ".damaged");
  // Makes the file with its space; one that is there and whole stays.
  [[nodiscard]] Result<void> Reserve();
  // At most kMostBytes. If the file has not been read before, it is read first, because the text
  // must be newer than those that are there; nothing is written where that fails.
  [[nodiscard]] Result<void> Write(std::string_view text);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  // Of the text that was written or read last, 0 where there is none; absent: not known yet.
  std::optional<std::uint64_t> sequence_;
};

}  // namespace jettison
