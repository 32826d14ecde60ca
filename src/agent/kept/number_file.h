#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/units/result.h"

namespace jettison {

// The largest number that is ever given out: what is larger in a file is damage.
inline constexpr std::uint64_t kLargestNumber = 1'000'000'000'000'000;

// A number in a file of fixed size. It is overwritten in place, so that it can be written on a full
// disk. If the process dies meanwhile, the file has the old number or the new one.
class NumberFile {
 public:
  explicit NumberFile(std::string path) : path_(std::move(path)) {}

  // Absent where there is no file; kInvalidArgument where it holds no number.
  [[nodiscard]] Result<std::optional<std::uint64_t>> Read() const;
  [[nodiscard]] Result<void> Write(std::uint64_t number) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace jettison
