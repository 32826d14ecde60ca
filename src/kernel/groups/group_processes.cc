#include "kernel/groups/group_processes.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <span>
#include <utility>

#include "kernel/groups/fd_reserve.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/group_tree.h"
#include "kernel/groups/kernel_text.h"
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

Result<void> AppendOwn(int group, std::vector<pid_t>& pids) {
  const auto text = ReadFile(group, "cgroup.procs");
  if (!text) return HasNoList(text.error()) ? Result<void>() : Fail(text.error());
  const auto own = ParseProcs(*text);
  if (!own) return Fail(own.error().In("cgroup.procs"));
  pids.insert(pids.end(), own->begin(), own->end());
  return {};
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
    FileDescriptor pidfd(OpenSparing([pid] { return OpenPidfd(pid).Release(); }));
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

// A pid in a list may belong to another process by the time that it is used. The list is therefore
// read again while handles are held: a pid that is still listed belongs either to the process of
// the handle, or to a successor of one that has ended, to which the handle sends nothing. The pid
// itself is used only where there are no handles (before Linux 5.3). Returns how many pids of the
// list are done.
Result<std::size_t> SignalSome(int group, std::span<const pid_t> pids, int signal) {
  Handles handles = OpenHandles(pids.first(std::min(pids.size(), kHandlesAtOnce)));
  auto still = ProcessesBelow(group);
  if (!still && handles.held.size() > 1) {
    MakeRoomForAList(pids, handles);
    still = ProcessesBelow(group);
  }
  if (!still) return Fail(still.error());
  for (const Handle& handle : handles.held) {
    if (!std::binary_search(still->begin(), still->end(), handle.pid)) continue;
    if (auto sent = Send(handle, signal); !sent) return Fail(sent.error());
  }
  return handles.taken;
}

std::string CommandOf(pid_t pid) {
  const FileDescriptor fd(::open(fmt::format("/proc/{}/comm", pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return "exited";
  auto text = ReadToEnd(fd.get()).value_or("exited");
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

Result<std::vector<pid_t>> ProcessesBelow(int group) {
  std::vector<pid_t> pids;
  const auto listed = VisitGroups(
      group, {.enter = [&pids](int each) { return AppendOwn(each, pids); }, .leave = nullptr});
  if (!listed) return Fail(listed.error());
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

Result<std::vector<pid_t>> SignalBelow(int group, int signal) {
  auto pids = ProcessesBelow(group);
  if (!pids) return pids;
  for (std::span<const pid_t> left(*pids); !left.empty();) {
    const auto signalled = SignalSome(group, left, signal);
    if (!signalled) return Fail(signalled.error());
    left = left.subspan(*signalled);
  }
  return pids;
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

}  // namespace jettison::kernel
