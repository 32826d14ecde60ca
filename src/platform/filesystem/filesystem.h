#pragma once

#include <sys/statvfs.h>
#include <sys/types.h>

#include <string>

#include "model/summary.h"
#include "units/result.h"

namespace jettison {

// What statvfs(3) told, in bytes and counts; time is left absent. Blocks are of f_frsize; available
// is f_bavail, what an unprivileged process can still write, the reserve of root left out. A file
// system that counts no inodes (f_files 0: btrfs) has no inode figures.
[[nodiscard]] FsStats FsStatsOf(const struct statvfs& status);

// The file system that holds `path`, as it is now. kNotFound where the path does not exist.
[[nodiscard]] Result<FsStats> ReadFilesystem(const std::string& path);

// Identifies the file system that holds `path`: equal for two paths on the same one. Subvolumes of
// btrfs count as file systems of their own, an overlay as another one than what lies below it.
[[nodiscard]] Result<dev_t> DeviceOf(const std::string& path);

}  // namespace jettison
