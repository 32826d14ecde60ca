#pragma once

#include <sys/statvfs.h>
#include <sys/types.h>

#include <string>

#include "core/model/summary.h"
#include "core/units/result.h"
#include "kernel/filesystem/place.h"

namespace jettison {

// What statvfs(3) told, in bytes and counts; time is left absent. Blocks are of f_frsize; available
// is f_bavail, what an unprivileged process can still write, the reserve of root left out. A file
// system that counts no inodes (f_files 0: btrfs) has no inode figures, and one that counts no
// blocks (f_blocks 0: ramfs, a tmpfs without a size) no figures at all.
[[nodiscard]] FsStats FsStatsOf(const struct statvfs& status);

// The file system that holds `path`, as it is now. kNotFound where the path does not exist.
[[nodiscard]] Result<FsStats> ReadFilesystem(const std::string& path);

// The device number of a path (stat(2)). Paths on one file system have the same, except on btrfs,
// where each subvolume has its own.
[[nodiscard]] Result<dev_t> DeviceOf(const std::string& path);

// Identifies the file system whose space a place uses. Two places on the same file system have the
// same value, also on different subvolumes of a btrfs; an overlay differs from the file system
// below it. A file system that may not answer is not asked: its mount gives the value, and the
// place need not exist. kNotFound where a file system answers that the place does not exist;
// kUnavailable where no mount is known. (cadvisor compares the sources of mounts, which all
// subvolumes share: fs.GetDirFsDevice)
[[nodiscard]] Result<dev_t> DeviceOf(const Place& place);

}  // namespace jettison
