#pragma once

#include <string_view>

#include "core/units/result.h"
#include "kernel/cgroup_v1/hierarchies.h"
#include "ports/cgroups.h"

namespace jettison::cgroup_v1 {

// Writes the limits that are present. The group must exist in the hierarchies concerned;
// kUnavailable where the controller of a limit is not mounted.
[[nodiscard]] Result<void> SetLimits(const Hierarchies& hierarchies, std::string_view path,
                                     const CgroupLimits& limits);

}  // namespace jettison::cgroup_v1
