#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/units/result.h"
#include "kernel/cgroup_v1/hierarchies.h"

namespace jettison::cgroup_v1 {

// The path of a group of the node, from the root of a hierarchy.
[[nodiscard]] std::string PathFromRoot(const Hierarchies& hierarchies, std::string_view path);

// Removes the group and everything below it, deepest first, in every hierarchy, also in those where
// only a container runtime made it; what is not there is fine. Page cache that was charged to a
// group stays charged to the groups above. A group stays busy while a killed process exits, so a
// refusal is tried again until `patience` is over, all hierarchies together; then kUnavailable,
// naming the processes that are still there.
[[nodiscard]] Result<void> RemoveGroups(const Hierarchies& hierarchies, std::string_view path,
                                        std::chrono::milliseconds patience);

}  // namespace jettison::cgroup_v1
