#pragma once

#include "core/units/result.h"

namespace jettison {

// Locks the memory of this process, and every page that it touches from now on (mlockall(2)). When
// memory is short, the kernel first drops pages that it can read again from a file, the agent's own
// code among them; the agent would have to read them again just when it has to end a pod. Pages are
// not read ahead (MCL_ONFAULT, Linux 4.4), so code that never runs and unused stacks take no more
// memory than before. Child processes do not inherit the lock. kPermissionDenied where
// MayLockOwnMemory says so.
[[nodiscard]] Result<void> LockOwnMemory();

// Whether this process may lock its memory: it has CAP_IPC_LOCK, or RLIMIT_MEMLOCK is unlimited.
// Any other limit counts as not permitted, because it also applies to mappings that were never
// touched, and beyond it an allocation fails.
[[nodiscard]] Result<void> MayLockOwnMemory();

}  // namespace jettison
