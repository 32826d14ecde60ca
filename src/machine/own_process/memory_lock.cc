#include "machine/own_process/memory_lock.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr int kLargeBlock = 128 << 10;

// glibc has no wrapper for capget(2).
bool HasCapability(unsigned capability) {
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return false;
  return (sets.at(CAP_TO_INDEX(capability)).effective & CAP_TO_MASK(capability)) != 0;
}

}  // namespace

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
