#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/cgroup_v1/hierarchies.h"
#include "ports/cgroups.h"

namespace jettison::cgroup_v1 {

// Moves a process (0: the caller) into the group of that path in every hierarchy. The move costs a
// grace period of the kernel for each hierarchy: milliseconds, so not for a hot path.
[[nodiscard]] Result<void> Join(const Hierarchies& hierarchies, std::string_view path, pid_t pid);

// cgroup.procs of the group of that path in every hierarchy, memory first.
[[nodiscard]] Result<std::vector<ProcsFile>> OpenProcs(const Hierarchies& hierarchies,
                                                       std::string_view path);

// Sends a signal to every process of the group and below. kNotFound where there is no such group.
[[nodiscard]] Result<void> SignalAll(const Hierarchies& hierarchies, std::string_view path,
                                     int signal);

// Makes sure that every process of the group and below ends: when it returns, SIGKILL is pending
// for each, processes forked meanwhile included, and none is frozen. It does not wait for their
// exit, which takes the kernel about 70 ms per GiB they hold. kNotFound where there is no such
// group; kDeadlineExceeded where new processes keep appearing.
[[nodiscard]] Result<void> KillAll(const Hierarchies& hierarchies, std::string_view path);

}  // namespace jettison::cgroup_v1
