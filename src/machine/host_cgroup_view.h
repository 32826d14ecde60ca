#pragma once

#include <string>
#include <vector>

#include "core/units/result.h"
#include "kernel/mounts/mount_info.h"

namespace jettison {

// Whether control groups are seen from within a container: their mounts then begin above the group
// that counts as the root (cgroup_namespaces(7)).
[[nodiscard]] bool AreGroupsSeenFromWithin(const std::vector<kernel::Mount>& mounts);

// On cgroup v2 a container that is not privileged has a cgroup namespace of its own, in which
// /proc/PID/cgroup tells groups of others by ".." alone. Has this thread, and those that it starts
// from now on, see them as the process `host` does; does nothing where they are seen so already.
// kPermissionDenied without CAP_SYS_ADMIN and CAP_SYS_PTRACE.
[[nodiscard]] Result<void> EnterHostCgroupView(
    const std::string& mountinfo_file = "/proc/self/mountinfo",
    const std::string& host = "/proc/1/ns/cgroup");

}  // namespace jettison
