#pragma once

#include <string>
#include <vector>

#include "core/units/result.h"
#include "kernel/mounts/mount_info.h"

namespace jettison {

// Whether control groups are seen from within a container: their mounts then begin above the group
// that counts as the root (cgroup_namespaces(7)).
[[nodiscard]] bool AreGroupsSeenFromWithin(const std::vector<kernel::Mount>& mounts);

// On cgroup v2 an unprivileged container has its own cgroup namespace, in which /proc/PID/cgroup
// shows the groups of other processes as ".." only. Makes this thread, and those that it starts
// from now on, see the groups as the process `host` sees them; does nothing where they see them so
// already. kPermissionDenied without CAP_SYS_ADMIN and CAP_SYS_PTRACE.
[[nodiscard]] Result<void> EnterHostCgroupView(
    const std::string& mountinfo_file = "/proc/self/mountinfo",
    const std::string& host = "/proc/1/ns/cgroup");

}  // namespace jettison
