#pragma once

#include <string>
#include <vector>

#include "ports/cgroups.h"
#include "ports/group_end.h"

namespace jettison::kernel {

// Removes the groups in which nothing lives, in every hierarchy; one that is gone is fine. Waits
// for nothing: a group with processes, or dead ones that nobody has asked for, stays. What could
// not be removed and why is the caller's to say; it is tried again with the next call.
[[nodiscard]] Result<void> RemoveEmptyGroups(Cgroups& cgroups, GroupEnd& group_end,
                                             const std::vector<std::string>& groups);

}  // namespace jettison::kernel
