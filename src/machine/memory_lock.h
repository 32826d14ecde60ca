#pragma once

#include "core/units/result.h"

namespace jettison {

// Keeps what this process has in memory there, and from now on every page that it touches. When
// memory is short the kernel first takes pages that are the same on a disk, the agent's own code
// among them, which would have to be read again just when a pod is to be ended. Nothing is read
// ahead (MCL_ONFAULT, Linux 4.4): neither the code that never ran nor the stacks of threads take
// more than they did. Processes that it starts do not inherit it (mlockall(2)).
// kPermissionDenied where MayLockOwnMemory says so.
[[nodiscard]] Result<void> LockOwnMemory();

// Whether this process may: it has CAP_IPC_LOCK, or RLIMIT_MEMLOCK is unlimited. Any other limit
// counts as none: it is one on mappings, touched or not, and whoever reaches it gets no memory.
[[nodiscard]] Result<void> MayLockOwnMemory();

}  // namespace jettison
