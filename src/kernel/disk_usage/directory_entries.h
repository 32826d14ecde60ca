#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/units/result.h"

namespace jettison::disk_usage {

// What a directory tells of one of its entries.
struct DirectoryEntry {
  const char* name = "";      // terminated; valid until the buffer is read again
  std::uint64_t inode = 0;    // of what a mount point hides, where it is one
  bool is_directory = false;  // false also where the file system does not tell
};

// The entries of open directories, read a buffer at a time with getdents64(2).
class DirectoryEntries {
 public:
  // Reads the next entries of a directory from where its descriptor stands; false at the end. What
  // was read before is gone.
  [[nodiscard]] Result<bool> ReadFrom(int directory);
  // The next entry, "." and ".." left out; nothing when the buffer is used up.
  [[nodiscard]] std::optional<DirectoryEntry> Next();

 private:
  static constexpr std::size_t kBytes = std::size_t{32} * 1024;
  std::unique_ptr<std::byte[]> buffer_ = std::make_unique<std::byte[]>(kBytes);
  std::span<const std::byte> unread_;
};

}  // namespace jettison::disk_usage
