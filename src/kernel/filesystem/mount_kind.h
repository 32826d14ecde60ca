#pragma once

#include <string_view>
#include <vector>

#include "kernel/mounts/mount_info.h"

namespace jettison {

// The mount that holds `path`, an absolute path without links: the one whose point is the longest
// beginning of it, of several on one point the last. Null where none does.
[[nodiscard]] const kernel::Mount* MountOf(const std::vector<kernel::Mount>& mounts,
                                           std::string_view path);

// Whether asking such a file system how full it is ("ext4", "nfs4") is answered by this kernel
// alone. Network file systems, those of a program (FUSE), and kinds not known may wait for somebody
// else, and for ever.
[[nodiscard]] bool AnswersByItself(std::string_view type);

}  // namespace jettison
