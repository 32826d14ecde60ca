#pragma once

#include <string_view>

#include "core/units/result.h"
#include "kernel/cgroup_v1/hierarchies.h"

namespace jettison::cgroup_v1 {

// Makes sure that every process of the group and below ends, whose directory for memory is open:
// when it returns, SIGKILL is pending for each, processes forked meanwhile included, and none is
// frozen. kDeadlineExceeded where new processes keep appearing.
[[nodiscard]] Result<void> KillAll(const Hierarchies& hierarchies, std::string_view path,
                                   int group);

}  // namespace jettison::cgroup_v1
