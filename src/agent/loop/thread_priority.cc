#include "agent/loop/thread_priority.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ports/system_error.h"

namespace jettison {

Result<void> RaiseThreadPriority() {
  constexpr int kNice = -20;
  const sched_param none{};
  if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none) != 0) {
    return FailErrno("sched_setscheduler");
  }
  // On Linux the id 0 is the calling thread, not its process.
  if (setpriority(PRIO_PROCESS, 0, kNice) != 0) return FailErrno("setpriority");
  return {};
}

Result<void> LowerThreadPriority() {
  const sched_param none{};
  if (sched_setscheduler(0, SCHED_IDLE, &none) != 0) return FailErrno("sched_setscheduler");
  return {};
}

int CurrentThreadId() {
  return ::gettid();
}

}  // namespace jettison
