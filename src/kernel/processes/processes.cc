#include "kernel/processes/processes.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/text/parts.h"
#include "kernel/files/files.h"
#include "kernel/groups/open_files.h"
#include "kernel/mounts/mount_info.h"
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

// Whether a process has a name that the first stage of runc ("runc init") has until it learns what
// it has to make. A program may have such a name, too; IsRuncInit decides.
//
// runc executes /proc/self/exe, and then a sealed copy of itself (ensure_cloned_binary). The kernel
// names the latter after the descriptor's number, and since Linux 6.14 after the file.
bool IsNamedLikeRunc(std::string_view proc_stat) {
  const std::size_t begin = proc_stat.find(" (");
  const std::size_t end = proc_stat.rfind(") ");
  if (begin == std::string_view::npos || end == std::string_view::npos || end <= begin + 2) {
    return false;
  }
  const std::string_view name = proc_stat.substr(begin + 2, end - begin - 2);
  return name == "exe" || name.starts_with("runc") ||
         name.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether a process is a stage of runc, by its /proc/PID/cmdline.
bool IsRuncInit(std::string_view proc_cmdline) {
  std::string_view program = TakePart(proc_cmdline, '\0');
  program = program.substr(program.rfind('/') + 1);
  return program == "runc" && proc_cmdline == std::string_view("init\0", 5);
}

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
  if (!pids && pids.error().code == ErrorCode::kNotFound) return std::nullopt;
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

namespace {

// What is before the ID in the name of conmon's group.
constexpr std::string_view kConmon = "conmon-";

std::string_view Option(std::string_view options, std::string_view name) {
  while (!options.empty()) {
    std::string_view option = TakePart(options, ',');
    if (TakePart(option, '=') == name) return option;
  }
  return {};
}

// A field of /proc/PID/stat by its number in proc(5), from the third one on. The name of the
// program, in parentheses, may contain anything.
template <typename Number>
std::optional<Number> StatField(std::string_view proc_stat, int place) {
  const std::size_t name_end = proc_stat.rfind(") ");
  if (name_end == std::string_view::npos) return std::nullopt;
  proc_stat.remove_prefix(name_end + 2);
  for (int before = 3; before < place; ++before) (void)TakePart(proc_stat, ' ');
  return ParseNumber<Number>(TakePart(proc_stat, ' '));
}

}  // namespace

std::string MemoryGroupIn(std::string_view proc_cgroup) {
  std::string unified;
  while (!proc_cgroup.empty()) {
    std::string_view line = TakePart(proc_cgroup, '\n');
    TakePart(line, ':');
    std::string_view controllers = TakePart(line, ':');
    if (controllers.empty() && !line.empty()) unified = line;
    while (!controllers.empty()) {
      if (TakePart(controllers, ',') == "memory") return std::string(line);
    }
  }
  return unified;
}

// The last mount at a place covers the others.
std::string UpperFolderOf(std::string_view mountinfo) {
  std::string upper;
  for (const kernel::Mount& mount : kernel::ParseMounts(mountinfo)) {
    if (mount.point != "/") continue;
    upper.clear();
    if (mount.type != "overlay") continue;
    upper = kernel::UnescapedMountField(Option(mount.super_options, "upperdir"));
  }
  return upper.starts_with('/') ? upper : std::string();
}

bool IsGroupOfContainer(std::string_view name, std::string_view id) {
  constexpr std::string_view kScope = ".scope";
  if (id.empty()) return false;
  if (name == id) return true;
  if (name.ends_with(kScope)) name.remove_suffix(kScope.size());
  if (!name.ends_with(id)) return false;
  name.remove_suffix(id.size());
  if (name.ends_with(kConmon)) return false;
  return name.empty() || name.back() == '-' || name.back() == ':';
}

bool IsGroupOfConmon(std::string_view name) {
  return name.substr(0, name.rfind('-') + 1).ends_with(kConmon);
}

// runc names the process after its stage; the last one is "runc:[2:INIT]".
bool IsPrepared(std::string_view proc_stat) {
  constexpr std::string_view kStage = "(runc:[";
  const std::size_t name = proc_stat.find(" (");
  return name != std::string_view::npos && proc_stat.substr(name + 1).starts_with(kStage);
}

pid_t ParentOf(std::string_view proc_stat) {
  return StatField<pid_t>(proc_stat, 4).value_or(0);
}

bool IsEnding(std::string_view proc_stat) {
  constexpr std::uint64_t kPfExiting = 0x4;
  return (StatField<std::uint64_t>(proc_stat, 9).value_or(0) & kPfExiting) != 0;
}

std::optional<std::uint64_t> StartOf(std::string_view proc_stat) {
  return StatField<std::uint64_t>(proc_stat, 22);
}

}  // namespace jettison
