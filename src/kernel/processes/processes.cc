#include "kernel/processes/processes.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/processes/proc_files.h"
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

// A container may have any number of processes. The first one has one of the lowest ids, unless ids
// have wrapped around since; then another early process is used.
constexpr std::size_t kMostLookedAt = 256;

// The command line is read where the name leaves it open alone: that waits for the lock of the
// process' memory, which a program that is short of memory may hold for long.
bool IsPreparation(Processes& processes, pid_t pid, std::string_view proc_stat) {
  if (IsPrepared(proc_stat)) return true;
  if (!IsNamedLikeRunc(proc_stat)) return false;
  const auto command_line = processes.ReadFile(pid, "cmdline");
  return command_line && IsRuncInit(*command_line);
}

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

Result<std::string> GroupOfContainer(Cgroups& cgroups, const std::string& parent,
                                     std::string_view id) {
  auto groups = cgroups.Children(parent);
  if (!groups) return Fail(groups.error());
  for (std::string& group : *groups) {
    if (IsGroupOfContainer(group, id)) return std::move(group);
  }
  return Fail(ErrorCode::kNotFound, "no group is named after container " + std::string(id));
}

Result<std::optional<FirstProcess>> FirstProcessIn(Processes& processes, Cgroups& cgroups,
                                                   std::string_view group, Counts counts) {
  auto pids = cgroups.Processes(group);
  if (!pids) return Fail(pids.error());
  std::ranges::sort(*pids);
  std::optional<FirstProcess> first;
  std::optional<FirstProcess> hidden;
  for (const pid_t pid : std::span(*pids).first(std::min(pids->size(), kMostLookedAt))) {
    const auto stat = processes.ReadFile(pid, "stat");
    if (!stat && !hidden && processes.Open(pid)) hidden = {.pid = pid, .began = 0};
    const auto began = stat ? StartOf(*stat) : std::nullopt;
    if (!began || std::ranges::binary_search(*pids, ParentOf(*stat))) continue;
    if (first && *began >= first->began) continue;
    if (counts == Counts::kStarted && IsPreparation(processes, pid, *stat)) continue;
    first = {.pid = pid, .began = *began};
  }
  return first ? first : hidden;
}

}  // namespace jettison
