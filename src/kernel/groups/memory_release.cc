#include "kernel/groups/memory_release.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

// The number is the same on every architecture; the headers of Debian 12's libc know it, older
// ones may not.
#ifdef SYS_process_mrelease
constexpr long kProcessMrelease = SYS_process_mrelease;
#else
constexpr long kProcessMrelease = 448;
#endif

}  // namespace

Result<void> ReleaseMemory(const FileDescriptor& pidfd) {
  while (::syscall(kProcessMrelease, pidfd.get(), 0) != 0) {
    if (errno == EINTR) continue;
    if (errno == EINVAL) return Fail(ErrorCode::kInvalidArgument, "the process was not killed");
    return FailErrno("process_mrelease");
  }
  return {};
}

}  // namespace jettison::kernel
