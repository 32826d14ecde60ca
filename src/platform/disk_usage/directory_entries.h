#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "units/result.h"

namespace jettison::disk_usage {

// The entries of open directories, read a buffer at a time with getdents64(2).
class DirectoryEntries {
 public:
  // Reads the next entries of a directory from where its descriptor stands; false at the end. What
  // was read before is gone.
  [[nodiscard]] Result<bool> ReadFrom(int directory);
  // The next entry's name, terminated, "." and ".." left out; null when the buffer is used up.
  [[nodiscard]] const char* Next();

 private:
  static constexpr std::size_t kBytes = std::size_t{32} * 1024;
  std::unique_ptr<std::byte[]> buffer_ = std::make_unique<std::byte[]>(kBytes);
  std::span<const std::byte> unread_;
};

}  // namespace jettison::disk_usage
