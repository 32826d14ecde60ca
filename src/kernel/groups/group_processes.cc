#include "kernel/groups/group_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <thread>
#include <utility>

#include "kernel/groups/group_files.h"
#include "kernel/groups/kept_files.h"
#include "kernel/readiness/pidfd.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

constexpr std::size_t kNamedProcesses = 5;
constexpr std::size_t kHandlesAtOnce = 512;

// The group vanished meanwhile, or is threaded: then the kernel answers EOPNOTSUPP.
bool HasNoList(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kUnavailable;
}

using Pids = std::vector<pid_t>;

void Append(const Pids& more, Pids& pids) {
  pids.insert(pids.end(), more.begin(), more.end());
}

Pids Sorted(Pids pids) {
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

// Of the group itself, by rising id.
Result<Pids> OwnProcesses(int group) {
  const auto text = ReadFile(group, "cgroup.procs");
  if (!text) return HasNoList(text.error()) ? Result<Pids>() : Fail(text.error());
  auto own = ParseProcs(*text);
  if (!own) return Fail(own.error().In("cgroup.procs"));
  return Sorted(*std::move(own));
}

struct Handle {
  pid_t pid = 0;
  FileDescriptor pidfd;  // empty: none is available
};

// Handles of processes from the front of a list.
struct Handles {
  std::vector<Handle> held;
  std::size_t taken = 0;  // entries of the list, including ended processes
};

// Opens as many handles as there are descriptors for, but at least one entry.
Handles OpenHandles(std::span<const pid_t> pids) {
  Handles handles;
  handles.held.reserve(pids.size());
  for (; handles.taken < pids.size(); ++handles.taken) {
    const pid_t pid = pids[handles.taken];
    FileDescriptor pidfd = OpenPidfd(pid);
    if (!pidfd && errno == ESRCH) continue;
    if (!pidfd && !handles.held.empty()) break;
    handles.held.push_back({.pid = pid, .pidfd = std::move(pidfd)});
    if (handles.held.back().pidfd) continue;
    ++handles.taken;
    break;
  }
  return handles;
}

// Closes as many handles as reading a list needs descriptors, but keeps the first handle.
void MakeRoomForAList(std::span<const pid_t> pids, Handles& handles) {
  constexpr std::size_t kForAList = kOpenGroups + 4;
  handles.held.resize(handles.held.size() - std::min(handles.held.size() - 1, kForAList));
  const auto last = std::ranges::find(pids, handles.held.back().pid);
  handles.taken = static_cast<std::size_t>(last - pids.begin()) + 1;
}

Result<void> Send(const Handle& handle, int signal) {
  const int sent = handle.pidfd ? SendSignalTo(handle.pidfd, signal) : ::kill(handle.pid, signal);
  if (sent == 0 || errno == ESRCH) return {};
  return FailErrno(fmt::format("send signal {} to process {}", signal, handle.pid));
}

// Signals the processes of a list. A pid in it may belong to another process by the time that it is
// used. The list is therefore read again while handles are held: a pid that is still listed belongs
// either to the process of the handle, or to a successor of one that has ended, to which the handle
// sends nothing. The pid itself is used only where there are no handles (before Linux 5.3).
class ListedProcesses {
 public:
  ListedProcesses(std::function<Result<Pids>()> read, int signal)
      : read_(std::move(read)), signal_(signal) {}

  // Returns the pids that were not listed again.
  [[nodiscard]] Result<Pids> Signal(std::span<const pid_t> pids) const {
    Pids others;
    while (!pids.empty()) {
      const auto done = SignalSome(pids, others);
      if (!done) return Fail(done.error());
      pids = pids.subspan(*done);
      // A real-time thread keeps its processor until it yields, also from one that signals another
      // group.
      if (!pids.empty()) std::this_thread::yield();
    }
    return others;
  }

 private:
  [[nodiscard]] Result<std::size_t> SignalSome(std::span<const pid_t> pids, Pids& others) const {
    Handles handles = OpenHandles(pids.first(std::min(pids.size(), kHandlesAtOnce)));
    auto still = read_();
    if (!still && handles.held.size() > 1) {
      MakeRoomForAList(pids, handles);
      still = read_();
    }
    if (!still) return Fail(still.error());
    for (const Handle& handle : handles.held) {
      if (!std::binary_search(still->begin(), still->end(), handle.pid)) {
        others.push_back(handle.pid);
      } else if (auto sent = Send(handle, signal_); !sent) {
        return Fail(sent.error());
      }
    }
    return handles.taken;
  }

  const std::function<Result<Pids>()> read_;
  const int signal_;
};

std::string CommandOf(pid_t pid) {
  const FileDescriptor fd(::open(fmt::format("/proc/{}/comm", pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return "exited";
  auto text = ReadToEnd(fd.get()).value_or("exited");
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

Result<Pids> ProcessesBelow(int group) {
  Pids pids;
  const auto list = [&pids](int each) -> Result<void> {
    const auto own = OwnProcesses(each);
    if (!own) return Fail(own.error());
    Append(*own, pids);
    return {};
  };
  if (auto listed = VisitGroups(group, {.enter = list, .leave = nullptr}); !listed) {
    return Fail(listed.error());
  }
  return Sorted(std::move(pids));
}

// Whoever is in a group is told before the groups below it are looked for: most pods have none.
Result<Pids> SignalBelow(int group, int signal) {
  Pids told;
  Pids moved;
  const auto tell = [&](int each) -> Result<void> {
    const auto own = OwnProcesses(each);
    if (!own) return Fail(own.error());
    const auto others = ListedProcesses([each] { return OwnProcesses(each); }, signal).Signal(*own);
    if (!others) return Fail(others.error());
    Append(*others, moved);
    std::ranges::set_difference(*own, *others, std::back_inserter(told));
    return {};
  };
  if (auto visited = VisitGroups(group, {.enter = tell, .leave = nullptr}); !visited) {
    return Fail(visited.error());
  }
  told = Sorted(std::move(told));
  std::erase_if(moved, [&](pid_t pid) { return std::ranges::binary_search(told, pid); });
  const auto others =
      ListedProcesses([group] { return ProcessesBelow(group); }, signal).Signal(Sorted(moved));
  if (!others) return Fail(others.error());
  Append(moved, told);
  return Sorted(std::move(told));
}

Result<void> KillBelow(int group, const std::function<Result<void>()>& freeze) {
  constexpr int kPasses = 50;
  constexpr int kPassesBeforeFreezing = 3;
  Pids signalled;
  for (int pass = 0; pass < kPasses; ++pass) {
    auto pids = SignalBelow(group, SIGKILL);
    if (!pids) return Fail(pids.error());
    if (std::ranges::includes(signalled, *pids)) return {};
    signalled = std::move(*pids);
    if (pass == kPassesBeforeFreezing) {
      if (auto ok = freeze(); !ok) return ok;
    }
  }
  return Fail(ErrorCode::kDeadlineExceeded,
              fmt::format("processes kept appearing in {} passes; lower its pids limit", kPasses));
}

std::string DescribeProcesses(int group) {
  const auto pids = ProcessesBelow(group);
  if (!pids || pids->empty()) return "no process is listed, a killed one is still exiting";
  std::string text = fmt::format("{} processes:", pids->size());
  for (std::size_t i = 0; i < std::min(pids->size(), kNamedProcesses); ++i) {
    text += fmt::format("{} {} ({})", i == 0 ? "" : ",", (*pids)[i], CommandOf((*pids)[i]));
  }
  return pids->size() > kNamedProcesses ? text + ", ..." : text;
}

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
