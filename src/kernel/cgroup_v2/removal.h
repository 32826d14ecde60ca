#pragma once

#include <chrono>
#include <string_view>

#include "core/units/result.h"

namespace jettison::cgroup_v2 {

// Removes the group `path` below the open directory `root` and everything below it, deepest first;
// what is not there is fine. Page cache charged to a group is reclaimed before it goes
// (Linux 5.19), or it would stay charged to the groups above. A group stays busy while a killed
// process exits: its cgroup.events is waited for until `patience` is over, all groups together;
// then kUnavailable, naming the processes that are still there.
[[nodiscard]] Result<void> RemoveGroups(int root, std::string_view path,
                                        std::chrono::milliseconds patience);

}  // namespace jettison::cgroup_v2
