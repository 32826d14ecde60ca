#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace jettison {

// The kernel's handle of a file (name_to_handle_at(2)). It is opaque, does not depend on the file's
// name, and differs for a file that reuses the inode of a removed one.
struct FileHandle {
  static constexpr std::size_t kMaxBytes = 128;  // MAX_HANDLE_SZ
  int type = 0;
  std::uint32_t size = 0;  // bytes in use
  std::array<std::byte, kMaxBytes> bytes{};
};

// A directory in which something has changed: an entry, or the size of a file.
struct DirectoryChange {
  FileHandle directory;
  // Whether a directory was created, removed or moved in it.
  bool subdirectories = false;
};

// A 64-bit hash of a handle, never 0 (FNV-1a, mixed).
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
