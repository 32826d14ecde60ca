#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/units/result.h"

namespace jettison::disk_usage {

// One entry of a directory, as getdents64(2) reports it.
struct DirectoryEntry {
  const char* name = "";      // NUL-terminated; valid until the next ReadFrom
  std::uint64_t inode = 0;    // for a mount point, of the directory below the mount
  bool is_directory = false;  // false also where the file system reports no type
};

// The entries of open directories, read a buffer at a time with getdents64(2).
class DirectoryEntries {
 public:
  // Reads the next entries of a directory, from the position of its descriptor on; false at the
  // end. Entries that were read before are dropped.
  [[nodiscard]] Result<bool> ReadFrom(int directory);
  // The next entry, "." and ".." left out; nothing when the buffer is used up.
  [[nodiscard]] std::optional<DirectoryEntry> Next();

 private:
  static constexpr std::size_t kBytes = std::size_t{32} * 1024;
  std::unique_ptr<std::byte[]> buffer_ = std::make_unique<std::byte[]>(kBytes);
  std::span<const std::byte> unread_;
};

}  // namespace jettison::disk_usage
