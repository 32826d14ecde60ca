#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/units/result.h"
#include "kernel/cgroup_v1/hierarchies.h"

namespace jettison::cgroup_v1 {

// The path of a group of the node, from the root of a hierarchy.
[[nodiscard]] std::string PathFromRoot(const Hierarchies& hierarchies, std::string_view path);

// Removes the group and everything below it, deepest first, in every hierarchy, including
// hierarchies in which only a container runtime made the group. A group that does not exist is no
// error. Page cache that was charged to a removed group stays charged to the groups above it. A
// group is busy while a killed process exits, so a removal that the kernel refuses is tried again.
// After `patience`, which covers all groups together, the result is kUnavailable; its message names
// the processes that are still there.
[[nodiscard]] Result<void> RemoveGroups(const Hierarchies& hierarchies, std::string_view path,
                                        std::chrono::milliseconds patience);

}  // namespace jettison::cgroup_v1
