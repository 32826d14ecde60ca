#include "agent/disk/disk_thread_priority.h"

#include <linux/ioprio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace jettison {

// On Linux the id 0 is the calling thread, not its process.
void LowerDiskThreadPriority() {
  constexpr int kNice = 10;
  constexpr int kLevel = 7;
  ::setpriority(PRIO_PROCESS, 0, kNice);
  ::syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, kLevel));
}

}  // namespace jettison
