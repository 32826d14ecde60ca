#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/units/result.h"
#include "ports/directory_change.h"
#include "ports/file_descriptor.h"

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

// One file, as statx(2) tells.
struct FileStatus {
  bool is_directory = false;
  bool is_mount_point = false;
  std::uint32_t links = 0;
  std::uint64_t bytes = 0;  // allocated: st_blocks * 512, whatever the file system's own block is
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

// Of an entry of an open directory; a symbolic link is taken for itself.
[[nodiscard]] Result<FileStatus> StatusOf(int directory, const char* name);
// Of an open file.
[[nodiscard]] Result<FileStatus> StatusOf(int fd);
// Of what a symbolic link, as those of /proc, leads to. No server is asked, because it may not
// answer.
[[nodiscard]] Result<FileStatus> StatusBehind(int directory, const char* name);

// Opens a directory that was found in another one. kNotFound where it is no part of the tree (any
// more): it was removed, was replaced by something else, or something is mounted on it.
[[nodiscard]] Result<FileDescriptor> OpenBelow(int parent, const char* name);
// Opens the directory that `path` names; kNotFound where it is none.
[[nodiscard]] Result<FileDescriptor> OpenTop(const std::string& path);

// Whether an open directory, found in one on `device`, is a part of the same tree: on the same
// device, or the top of a btrfs subvolume, which has a device of its own on the same file system.
// Nothing that is mounted is.
[[nodiscard]] bool ContinuesTree(int fd, const FileStatus& status, std::uint64_t device);

// Whether a failure means that the file was removed, or replaced, since it was listed.
[[nodiscard]] inline bool Vanished(const Error& error) {
  return error.code == ErrorCode::kNotFound;
}

// A file's handle with the mount it was found on (statx's old mount id).
struct HandleOnMount {
  FileHandle handle;
  int mount = 0;
};

// The handle of an open file, or of a path. kUnavailable where the file system has none.
[[nodiscard]] Result<HandleOnMount> HandleOf(int fd);
[[nodiscard]] Result<HandleOnMount> HandleOf(int directory, const char* name);

// Opens the directory that a handle names, as part of the mount that `mount_fd` (any open file) is
// on. kNotFound where it has gone; kPermissionDenied without CAP_DAC_READ_SEARCH.
[[nodiscard]] Result<FileDescriptor> OpenDirectoryByHandle(int mount_fd, const FileHandle& handle);

// One entry of a directory, as getdents64(2) reports it.
struct DirectoryEntry {
  const char* name = "";      // NUL-terminated; valid until the next ReadFrom
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
