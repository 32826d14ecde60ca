#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// A text that the next agent reads, and that is replaced as a whole again and again, on a disk that
// may be full meanwhile. Blank lines are added to its end: the file never gets smaller than
// kReservedBytes, and a second file of its size lies beside it, into which the next text is
// written. Whenever the agent is killed, either the previous text or the new one is read.
class KeptFile {
 public:
  static constexpr std::size_t kReservedBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMostBytes = std::size_t{256} << 10;

  explicit KeptFile(std::string path) : path_(std::move(path)) {}

  // The text that was written last; absent where there is none.
  [[nodiscard]] Result<std::optional<std::string>> Read() const;
  // Moves aside what cannot be read or understood. Returns its new path, or, where it cannot be
  // moved, the old one.
  [[nodiscard]] std::string PutAside() const;
  [[nodiscard]] Result<void> Write(std::string_view text) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace jettison
