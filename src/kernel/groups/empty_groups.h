#pragma once

#include <string>
#include <vector>

#include "ports/cgroups.h"
#include "ports/group_end.h"

namespace jettison::kernel {

// Removes the groups that have no processes, in every hierarchy. A group that does not exist is no
// error. Does not wait: a group with processes, including zombies that nobody has reaped, stays.
// The caller reports a group that could not be removed; the next call tries it again.
[[nodiscard]] Result<void> RemoveEmptyGroups(Cgroups& cgroups, GroupEnd& group_end,
                                             const std::vector<std::string>& groups);

}  // namespace jettison::kernel
