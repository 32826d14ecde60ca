#include "kernel/memcg_events/memcg_threshold.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "ports/system_error.h"

namespace jettison {

Result<MemcgThreshold> MemcgThreshold::Register(int group, std::uint64_t level) {
  FileDescriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return FailErrno("eventfd");
  const FileDescriptor usage(
      ::openat(group, "memory.usage_in_bytes", O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!usage) return FailErrno("open memory.usage_in_bytes");
  const FileDescriptor control(
      ::openat(group, "cgroup.event_control", O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!control && errno == ENOENT) {
    return Fail(ErrorCode::kUnavailable, "the group has no cgroup.event_control: not cgroup v1");
  }
  if (!control) return FailErrno("open cgroup.event_control");
  const std::string request = fmt::format("{} {} {}", event.get(), usage.get(), level);
  while (::write(control.get(), request.data(), request.size()) < 0) {
    if (errno != EINTR) return FailErrno(fmt::format("notification at {} bytes", level));
  }
  return MemcgThreshold(std::move(event));
}

bool MemcgThreshold::Drain() {
  std::uint64_t count = 0;
  return ::read(event_.get(), &count, sizeof count) == static_cast<ssize_t>(sizeof count);
}

}  // namespace jettison
