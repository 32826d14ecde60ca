#pragma once

#include "core/units/result.h"

namespace jettison {

// Puts the calling thread before ordinary ones (nice -20): when pods fight over the processor the
// one who ends them must not queue behind them. Processes and threads that it starts are ordinary
// again (SCHED_RESET_ON_FORK, sched(7)), or every container would inherit it. kPermissionDenied
// without CAP_SYS_NICE.
[[nodiscard]] Result<void> RaiseThreadPriority();

// Puts the calling thread behind all others: it runs, and reads and writes, when nobody else wants
// to (SCHED_IDLE, sched(7)).
[[nodiscard]] Result<void> LowerThreadPriority();
// The calling thread, as the kernel numbers it.
[[nodiscard]] int CurrentThreadId();

}  // namespace jettison
