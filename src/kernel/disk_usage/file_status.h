#pragma once

#include <cstdint>
#include <string>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::disk_usage {

// One file, as statx(2) or fstatat(2) tells.
struct FileStatus {
  bool is_directory = false;
  bool is_mount_point = false;
  std::uint32_t links = 0;
  std::uint64_t bytes = 0;  // allocated: st_blocks * 512, whatever the file system's own block is
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

// Of an entry of an open directory; a symbolic link is taken for itself. `inode` is what the
// directory tells; where the file has it, it is no mount point.
[[nodiscard]] Result<FileStatus> StatusOf(int directory, const char* name, std::uint64_t inode);
// The same without knowing the inode.
[[nodiscard]] Result<FileStatus> StatusOf(int directory, const char* name);
// Of an open file.
[[nodiscard]] Result<FileStatus> StatusOf(int fd);

// Opens a directory that was found in another one. kNotFound where it is no part of the tree (any
// more): it was removed, was replaced by something else, or something is mounted on it.
[[nodiscard]] Result<FileDescriptor> OpenBelow(int parent, const char* name);
// Opens the directory that `path` names; kNotFound where it is none.
[[nodiscard]] Result<FileDescriptor> OpenTop(const std::string& path);

// Whether a file that is no directory, found in an open directory on `device`, is a part of the
// same tree: on the same device, or not mounted. The files of an overlay whose layers are on
// several file systems have other devices than its directories.
[[nodiscard]] bool IsInTree(int directory, const char* name, const FileStatus& status,
                            std::uint64_t device);

// Whether an open directory, found in one on `device`, is a part of the same tree: on the same
// device, or the top of a btrfs subvolume, which has a device of its own on the same file system.
// Nothing that is mounted is.
[[nodiscard]] bool ContinuesTree(int fd, const FileStatus& status, std::uint64_t device);

// Whether a failure means that the file was removed, or replaced, since it was listed.
[[nodiscard]] inline bool Vanished(const Error& error) {
  return error.code == ErrorCode::kNotFound;
}

}  // namespace jettison::disk_usage
