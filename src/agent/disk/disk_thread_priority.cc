#include "agent/disk/disk_thread_priority.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace jettison {
namespace {

// ioprio_set(2), for which the C library has neither function nor constants. The kernel's header,
// linux/ioprio.h, is not valid C++ in every version: the one of Debian 12 has a parameter named
// "class".
constexpr int kOfThread = 1;    // IOPRIO_WHO_PROCESS
constexpr int kBestEffort = 2;  // IOPRIO_CLASS_BE
constexpr int kClassShift = 13;

}  // namespace

// On Linux the id 0 is the calling thread, not its process.
void LowerDiskThreadPriority() {
  constexpr int kNice = 10;
  constexpr int kLastLevel = 7;
  ::setpriority(PRIO_PROCESS, 0, kNice);
  ::syscall(SYS_ioprio_set, kOfThread, 0, kBestEffort << kClassShift | kLastLevel);
}

}  // namespace jettison
