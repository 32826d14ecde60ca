#pragma once

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

}  // namespace jettison
