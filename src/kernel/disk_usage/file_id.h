#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace jettison::disk_usage {

// Identifies a file within one file system. The device is part of it, because each subvolume of a
// btrfs has its own device number and its own inode numbers.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  [[nodiscard]] friend bool operator==(const FileId&, const FileId&) = default;
};

struct FileIdHash {
  std::size_t operator()(const FileId& id) const {
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;  // devices are small numbers, as inodes
    return std::hash<std::uint64_t>()(id.inode ^ (id.device * kSpread));
  }
};

}  // namespace jettison::disk_usage
