#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace jettison {

// What the kernel calls a file for good, whatever its name (name_to_handle_at(2)): opaque, and
// another one for a file that has taken over the inode of a removed one.
struct FileHandle {
  static constexpr std::size_t kMaxBytes = 128;  // MAX_HANDLE_SZ
  int type = 0;
  std::uint32_t size = 0;  // bytes in use
  std::array<std::byte, kMaxBytes> bytes{};
};

// A directory in which something has changed: an entry, or the size of a file.
struct DirectoryChange {
  FileHandle directory;
  // A directory was made, removed or moved in it.
  bool subdirectories = false;
};

// A number that stands for a handle, never 0: equal for equal handles, and different ones for
// different handles but for one pair in 2^64 (FNV-1a, mixed).
[[nodiscard]] inline std::uint64_t KeyOf(const FileHandle& handle) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ static_cast<std::uint64_t>(handle.type);
  for (std::size_t i = 0; i < handle.size && i < FileHandle::kMaxBytes; ++i) {
    hash = (hash ^ std::to_integer<std::uint64_t>(handle.bytes[i])) * 0x100000001b3ULL;
  }
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ULL;
  hash ^= hash >> 32;
  return hash == 0 ? 1 : hash;
}

}  // namespace jettison
