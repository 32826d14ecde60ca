#pragma once

#include <sys/statvfs.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/summary.h"
#include "core/units/result.h"
#include "kernel/mounts/mount_info.h"

namespace jettison {

// The mount that holds `path`, an absolute path without links: the one whose point is the longest
// beginning of it, of several on one point the last. Null where none does.
[[nodiscard]] const kernel::Mount* MountOf(const std::vector<kernel::Mount>& mounts,
                                           std::string_view path);

// Whether this kernel alone answers how full a file system of this type ("ext4", "nfs4") is. A
// network file system, one that a program serves (FUSE), or one of an unknown type may wait for
// another party, possibly for ever.
[[nodiscard]] bool AnswersByItself(std::string_view type);

// Where a path leads, found without asking a file system that may never answer.
struct Place {
  // Absolute. Links are followed through file systems that answer by themselves. A part of the path
  // that lies on another file system, or does not exist, stays as it was written.
  std::string path;
  std::optional<kernel::Mount> mount;  // that holds it; absent: none is known
  // Whether this kernel alone can answer for the place. True where the mounts could not be read.
  bool answers_by_itself = true;
};

// Among these mounts. A path that is not absolute is taken as it is and lies on none.
[[nodiscard]] Place PlaceOf(const std::vector<kernel::Mount>& mounts, const std::string& path);

// Among the mounts in a file like /proc/self/mountinfo.
[[nodiscard]] Place FindPlace(const std::string& path,
                              const std::string& mounts = "/proc/self/mountinfo");

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
