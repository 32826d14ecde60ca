#include "kernel/groups/group_memory_files.h"

#include <fcntl.h>
#include <fmt/format.h>
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

// EAGAIN: the kernel reclaimed less than was requested. EBUSY, EINTR: it gave up. What it reclaimed
// before is reclaimed all the same.
Result<void> Ask(int group, const char* file, std::string_view text) {
  const FileDescriptor fd(::openat(group, file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return FailErrno(fmt::format("open {}", file));
  if (::write(fd.get(), text.data(), text.size()) >= 0) return {};
  if (errno == EAGAIN || errno == EBUSY || errno == EINTR) return {};
  return FailErrno(fmt::format("write {} to {}", text, file));
}

// The file with the charge of a group that has this file for reclaiming memory.
const char* UsageFileBeside(std::string_view reclaim) {
  return reclaim == kReclaim ? "memory.current" : "memory.usage_in_bytes";
}

}  // namespace

std::string_view ReclaimFileOf(int group) {
  if (HasFile(group, kReclaim)) return kReclaim;
  return HasFile(group, kForceEmpty) ? kForceEmpty : std::string_view();
}

Result<void> GroupMemoryFiles::Take(std::string_view group, std::uint64_t bytes) {
  const auto directory = groups_->OpenMemoryDirectory(group);
  if (!directory) return Fail(directory.error());
  const std::string_view file = ReclaimFileOf(directory->get());
  if (file.empty()) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("group \"{}\" has neither {} (Linux 5.19) nor {} (cgroup v1)", group,
                            kReclaim, kForceEmpty));
  }
  return file == kReclaim ? Ask(directory->get(), kReclaim, fmt::format("{}", bytes))
                          : Ask(directory->get(), kForceEmpty, "0");
}

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
  if (usage) (void)Ask(group, file.data(), file == kReclaim ? std::string_view(*usage) : "0");
}

Result<std::uint64_t> GroupMemoryFiles::CpuTimeUs(std::string_view group) {
  const auto directory = groups_->OpenPressureDirectory(group);
  if (!directory) return Fail(directory.error());
  const auto text = ReadFile(directory->get(), "cpu.stat");
  if (!text) return Fail(text.error());
  return RowNumber(*text, "usage_usec");
}

}  // namespace jettison::kernel
