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
// system that counts no inodes (f_files 0: btrfs) has no inode figures.
[[nodiscard]] FsStats FsStatsOf(const struct statvfs& status);

// The file system that holds `path`, as it is now. kNotFound where the path does not exist.
[[nodiscard]] Result<FsStats> ReadFilesystem(const std::string& path);

// The device that stat(2) tells of a path: equal for two on one file system, but for subvolumes of
// btrfs, each of which has one of its own.
[[nodiscard]] Result<dev_t> DeviceOf(const std::string& path);

// Identifies the file system whose space a place takes: equal for two on the same one, its
// subvolumes included; an overlay is another one than what lies below it. Where the file system may
// not answer it is not asked: then the mount tells, and a place need not be there. kNotFound where
// it answers that there is none; kUnavailable where no mount is known. (cadvisor compares sources
// of mounts, which are one for all subvolumes: fs.GetDirFsDevice)
[[nodiscard]] Result<dev_t> DeviceOf(const Place& place);

}  // namespace jettison
