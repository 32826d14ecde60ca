#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace jettison
