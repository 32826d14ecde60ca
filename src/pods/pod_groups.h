#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/choices.h"
#include "core/units/result.h"
#include "ports/cgroups.h"

namespace jettison {

// The groups of which one is a pod's, whatever its class was.
[[nodiscard]] std::vector<std::string> PossibleGroupsOf(std::string_view uid, CgroupDriver driver);

// Whether processes are in a group; what cannot be told counts as inhabited.
[[nodiscard]] bool IsInhabited(Cgroups& cgroups, std::string_view group);
// One of the groups that is; absent: none is.
[[nodiscard]] std::optional<std::string> InhabitedOf(Cgroups& cgroups,
                                                     const std::vector<std::string>& groups);

// Removes the groups of a pod; what still runs in the first that cannot be removed is killed. Does
// not wait: the caller tries again where it fails. `is_patient`: it waits for zombies, too, which
// their parent has not reaped. They hold process ids, and a shortage of these may be the reason for
// an eviction; but some parents never reap.
[[nodiscard]] Result<void> RemoveGroupsOfPod(Cgroups& cgroups, GroupEnd& group_end,
                                             const std::vector<std::string>& groups,
                                             bool is_patient);

}  // namespace jettison
