#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// Which of the agent's threads runs first if several can.
enum class ThreadUrgency : std::uint8_t {
  kHelper,  // it helps to end pods
  kLoop,    // it sees what runs short
};

// What a thread was given.
enum class ThreadPriority : std::uint8_t {
  kRealTime,  // SCHED_FIFO: it runs before all ordinary threads
  kNice,      // nice -20, which counts among the threads of its group of processes alone (sched(7))
};

// Raises the priority of the calling thread above ordinary threads, so that it can end pods that
// occupy the processors. What it starts has normal priority (SCHED_RESET_ON_FORK, sched(7)).
// kPermissionDenied without CAP_SYS_NICE.
[[nodiscard]] Result<ThreadPriority> RaiseThreadPriority(ThreadUrgency urgency);

// Gives the calling thread less of processors and disks than ordinary threads get.
void LowerThreadPriority();

// Whether a thread of a process may be real-time without harm, by what /proc/PID/cgroup says of it.
// On cgroup v1 the kernel refuses where it would do any. On v2, kernels with real-time groups
// (CONFIG_RT_GROUP_SCHED) let nobody switch on the cpu controller above a real-time thread: there
// the thread's own group must have that already, or be the root. `v2` is where that hierarchy is
// mounted.
[[nodiscard]] bool MayBeRealTime(const std::string& proc_cgroup, std::string_view v2);

// Locks the memory of this process, and every page that it touches from now on (mlockall(2) with
// MCL_ONFAULT, Linux 4.4): when memory is short, the kernel first drops pages that it can read
// again from a file, the agent's own code among them. Child processes do not inherit the lock.
// kPermissionDenied where MayLockOwnMemory says so.
[[nodiscard]] Result<void> LockOwnMemory();

// Whether this process may lock its memory: it has CAP_IPC_LOCK, or RLIMIT_MEMLOCK is unlimited.
// Any other limit counts as not permitted, because it also applies to mappings that were never
// touched, and beyond it an allocation fails.
[[nodiscard]] Result<void> MayLockOwnMemory();

}  // namespace jettison
