#include "kernel/processes/host_processes.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <cstdint>

#include "kernel/files/files.h"
#include "kernel/readiness/pidfd.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// struct pidfd_info of linux/pidfd.h, first version; Debian's headers are older than it.
struct PidfdInfo {
  std::uint64_t mask = 0;
  std::uint64_t cgroup_id = 0;
  std::uint32_t ids[11] = {};  // pid, tgid, ppid and the user's and group's numbers
  std::int32_t exit_code = 0;
};
static_assert(sizeof(PidfdInfo) == 64);

constexpr std::uint64_t kPidfdInfoExit = 1U << 3;
constexpr unsigned long kPidfdGetInfo = _IOWR(0xFF, 11, PidfdInfo);

}  // namespace

Result<FileDescriptor> HostProcesses::Open(pid_t pid) {
  FileDescriptor handle = kernel::OpenPidfd(pid);
  if (!handle) return FailErrno(fmt::format("open a handle of process {}", pid));
  return handle;
}

void HostProcesses::Signal(const FileDescriptor& process, int signal) {
  kernel::SendSignal(process, signal);
}

std::optional<int> HostProcesses::WaitStatus(const FileDescriptor& process) {
  PidfdInfo info{.mask = kPidfdInfoExit};
  if (::ioctl(process.get(), kPidfdGetInfo, &info) != 0) return std::nullopt;
  if ((info.mask & kPidfdInfoExit) == 0) return std::nullopt;
  return info.exit_code;
}

Result<std::string> HostProcesses::ReadFile(pid_t pid, std::string_view name) {
  return kernel::ReadFile(fmt::format("/proc/{}/{}", pid, name));
}

}  // namespace jettison
