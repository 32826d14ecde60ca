#pragma once

#include <chrono>
#include <string_view>

#include "core/units/result.h"

namespace jettison::cgroup_v2 {

// Removes the group `path` below the open directory `root` and everything below it, deepest first.
// A group that does not exist is no error. Page cache that is charged to a group is reclaimed
// before the group is removed (Linux 5.19); otherwise it would stay charged to the groups above. A
// group is busy while a killed process exits, so the function waits for its cgroup.events. After
// `patience`, which covers all groups together, the result is kUnavailable; its message names the
// processes that are still there.
[[nodiscard]] Result<void> RemoveGroups(int root, std::string_view path,
                                        std::chrono::milliseconds patience);

}  // namespace jettison::cgroup_v2
