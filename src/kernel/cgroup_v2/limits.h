#pragma once

#include "core/units/result.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "ports/cgroups.h"

namespace jettison::cgroup_v2 {

using kernel::CpuWeight;

// Writes the limits that are present. `group`: its directory. kUnavailable where the controller of
// a limit has not been given to the group, and where more memory is in use than the new limit
// allows and cannot be reclaimed.
[[nodiscard]] Result<void> SetLimits(int group, const CgroupLimits& limits);

}  // namespace jettison::cgroup_v2
