#pragma once

#include <sys/types.h>

#include "core/units/result.h"

// What happens to the processes of a group, by its open directory.
namespace jettison::cgroup_v2 {

// How processes are ended that signals alone may miss, because they fork: by one write to
// cgroup.kill where the kernel has it (Linux 5.14), or, as on an older one, by further signals.
enum class KillBy { kKillFile, kSignals };

// Makes sure that every process of the group and below ends: when it returns, SIGKILL is pending
// for each, processes forked meanwhile included, and nothing is frozen. It does not wait for their
// exit. kDeadlineExceeded where new processes keep appearing.
[[nodiscard]] Result<void> KillAll(int group, KillBy how);

}  // namespace jettison::cgroup_v2
