#include "machine/loop/own_process.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <string>

#include "kernel/files/files.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::string_view kV2 = "/sys/fs/cgroup";

bool TakeRealTime(ThreadUrgency urgency) {
  const auto groups = kernel::ReadFile("/proc/self/cgroup");
  if (!groups || !MayBeRealTime(*groups, kV2)) return false;
  const int above_others = sched_get_priority_min(SCHED_FIFO);
  const sched_param param{.sched_priority =
                              above_others + (urgency == ThreadUrgency::kLoop ? 1 : 0)};
  return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0;
}

constexpr int kLargeBlock = 128 << 10;

// glibc has no wrapper for capget(2).
bool HasCapability(unsigned capability) {
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return false;
  return (sets.at(CAP_TO_INDEX(capability)).effective & CAP_TO_MASK(capability)) != 0;
}

}  // namespace

// Rows are like "12:cpu,cpuacct:/system.slice", or "0::/system.slice" of v2.
bool MayBeRealTime(const std::string& proc_cgroup, std::string_view v2) {
  std::istringstream rows(proc_cgroup);
  std::string unified;
  for (std::string number, controllers, path; std::getline(rows, number, ':') &&
                                              std::getline(rows, controllers, ':') &&
                                              std::getline(rows, path);) {
    if (fmt::format(",{},", controllers).find(",cpu,") != std::string::npos) return true;
    if (controllers.empty()) unified = path;
  }
  if (unified == "/") return true;
  return !unified.empty() && kernel::Exists(fmt::format("{}{}/cpu.weight", v2, unified));
}

Result<ThreadPriority> RaiseThreadPriority(ThreadUrgency urgency) {
  if (TakeRealTime(urgency)) return ThreadPriority::kRealTime;
  constexpr int kNice = -20;
  const sched_param none{};
  if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none) != 0) {
    return FailErrno("sched_setscheduler");
  }
  // On Linux the id 0 is the calling thread, not its process.
  if (setpriority(PRIO_PROCESS, 0, kNice) != 0) return FailErrno("setpriority");
  return ThreadPriority::kNice;
}

// On Linux the id 0 is the calling thread, not its process. The C library has neither function nor
// constants for ioprio_set(2), and the kernel's header, linux/ioprio.h, is not valid C++ in every
// version: the one of Debian 12 has a parameter named "class".
void LowerThreadPriority() {
  constexpr int kNice = 10;
  constexpr int kOfThread = 1;    // IOPRIO_WHO_PROCESS
  constexpr int kBestEffort = 2;  // IOPRIO_CLASS_BE
  constexpr int kClassShift = 13;
  constexpr int kLastLevel = 7;
  ::setpriority(PRIO_PROCESS, 0, kNice);
  ::syscall(SYS_ioprio_set, kOfThread, 0, kBestEffort << kClassShift | kLastLevel);
}

Result<void> MayLockOwnMemory() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return FailErrno("getrlimit");
  if (limit.rlim_cur == RLIM_INFINITY || HasCapability(CAP_IPC_LOCK)) return {};
  return Fail(
      ErrorCode::kPermissionDenied,
      fmt::format("CAP_IPC_LOCK is missing and RLIMIT_MEMLOCK is {} bytes", limit.rlim_cur));
}

Result<void> LockOwnMemory() {
  // The allocator cannot return pages in the middle of the locked heap, and its threshold would
  // grow until it took large blocks from there, too. With a fixed threshold they remain separate
  // mappings, which are unmapped when they are freed.
  ::mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  if (auto may = MayLockOwnMemory(); !may) return may;
  if (::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) != 0) return FailErrno("mlockall");
  return {};
}

}  // namespace jettison
