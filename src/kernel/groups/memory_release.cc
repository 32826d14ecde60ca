#include "kernel/groups/memory_release.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "kernel/groups/group_files.h"
#include "kernel/groups/kernel_text.h"
#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

constexpr const char* kReclaim = "memory.reclaim";
constexpr const char* kForceEmpty = "memory.force_empty";

bool HasFile(int group, const char* file) {
  return ::faccessat(group, file, W_OK, 0) == 0;
}

// The file with the charge of a group that has this file for reclaiming memory.
const char* UsageFileBeside(std::string_view reclaim) {
  return reclaim == kReclaim ? "memory.current" : "memory.usage_in_bytes";
}

// Empty: it has neither.
std::string_view ReclaimFileOf(int group) {
  if (HasFile(group, kReclaim)) return kReclaim;
  return HasFile(group, kForceEmpty) ? kForceEmpty : std::string_view();
}

// The number is the same on every architecture; the headers of Debian 12's libc know it, older
// ones may not.
#ifdef SYS_process_mrelease
constexpr long kProcessMrelease = SYS_process_mrelease;
#else
constexpr long kProcessMrelease = 448;
#endif

}  // namespace

bool HasPagesToDrop(int group) {
  const std::string_view file = ReclaimFileOf(group);
  if (file.empty()) return false;
  const auto usage = ReadFile(group, UsageFileBeside(file));
  return usage && *usage != "0\n";
}

void DropPages(int group) {
  const std::string_view file = ReclaimFileOf(group);
  if (file.empty()) return;
  const auto usage = ReadFile(group, UsageFileBeside(file));
  // Refused where less was reclaimed than is charged; that much is reclaimed all the same.
  if (usage) (void)WriteFile(group, file.data(), file == kReclaim ? std::string_view(*usage) : "0");
}

Result<void> ReleaseMemory(const FileDescriptor& pidfd) {
  while (::syscall(kProcessMrelease, pidfd.get(), 0) != 0) {
    if (errno == EINTR) continue;
    if (errno == EINVAL) return Fail(ErrorCode::kInvalidArgument, "the process was not killed");
    return FailErrno("process_mrelease");
  }
  return {};
}

}  // namespace jettison::kernel
