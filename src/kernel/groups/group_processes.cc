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
#include <span>
#include <thread>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/open_files.h"
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

// Of the group itself.
Result<Pids> OwnProcesses(int group) {
  const auto text = ReadFile(group, "cgroup.procs");
  if (!text) return HasNoList(text.error()) ? Result<Pids>() : Fail(text.error());
  auto own = ParseProcs(*text);
  if (!own) return Fail(own.error().In("cgroup.procs"));
  return own;
}

struct Handle {
  pid_t pid = 0;
  FileDescriptor pidfd;
};

// Signals processes from the front of a list, and returns how many entries of it are done. A pid in
// it may belong to another process by the time that it is used. The list is therefore read again
// while handles are held: a pid that is still listed belongs either to the process of the handle,
// or to a successor of one that has ended, to which the handle sends nothing.
Result<std::size_t> SignalSome(int group, std::span<const pid_t> pids, int signal) {
  std::vector<Handle> handles;
  std::size_t done = 0;
  for (; done < std::min(pids.size(), kHandlesAtOnce); ++done) {
    FileDescriptor pidfd = OpenPidfd(pids[done]);
    if (!pidfd && errno == ESRCH) continue;
    if (!pidfd && handles.empty()) return FailErrno("open a handle of a process");
    if (!pidfd) break;  // there are no more descriptors
    handles.push_back({.pid = pids[done], .pidfd = std::move(pidfd)});
  }
  auto still = ProcessesBelow(group);
  if (!still && handles.size() > 1) {  // a list takes descriptors, too
    handles.erase(handles.begin() + 1, handles.end());
    done = static_cast<std::size_t>(std::ranges::find(pids, handles[0].pid) - pids.begin()) + 1;
    still = ProcessesBelow(group);
  }
  if (!still) return Fail(still.error());
  for (const auto& [pid, pidfd] : handles) {
    if (!std::ranges::binary_search(*still, pid)) continue;
    if (SendSignal(pidfd, signal) != 0 && errno != ESRCH) {
      return FailErrno(fmt::format("send signal {} to process {}", signal, pid));
    }
  }
  return done;
}

std::string CommandOf(pid_t pid) {
  auto text = ReadFile(fmt::format("/proc/{}/comm", pid)).value_or("exited");
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

Result<Pids> ProcessesBelow(int group) {
  Pids pids;
  const auto list = [&pids](int each) -> Result<void> {
    const auto own = OwnProcesses(each);
    if (!own) return Fail(own.error());
    pids.insert(pids.end(), own->begin(), own->end());
    return {};
  };
  if (auto listed = VisitGroups(group, {.enter = list, .leave = nullptr}); !listed) {
    return Fail(listed.error());
  }
  std::ranges::sort(pids);
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

Result<Pids> SignalBelow(int group, int signal) {
  auto listed = ProcessesBelow(group);
  if (!listed) return listed;
  for (std::span<const pid_t> left = *listed; !left.empty();) {
    const auto done = SignalSome(group, left, signal);
    if (!done) return Fail(done.error());
    left = left.subspan(*done);
    // A real-time thread keeps its processor until it yields, also from one that signals another
    // group.
    if (!left.empty()) std::this_thread::yield();
  }
  return listed;
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

// The file by which the kernel reclaims a group's memory, and the one with its charge.
struct ReclaimFiles {
  const char* reclaim;
  const char* usage;
  bool takes_amount;
};
constexpr ReclaimFiles kReclaimFiles[] = {
    {.reclaim = "memory.reclaim", .usage = "memory.current", .takes_amount = true},
    {.reclaim = "memory.force_empty", .usage = "memory.usage_in_bytes", .takes_amount = false}};

// Null: it has neither.
const ReclaimFiles* FilesOf(int group) {
  for (const ReclaimFiles& files : kReclaimFiles) {
    if (::faccessat(group, files.reclaim, W_OK, 0) == 0) return &files;
  }
  return nullptr;
}

}  // namespace

bool HasPagesToDrop(int group) {
  const ReclaimFiles* const files = FilesOf(group);
  return files != nullptr && ReadFile(group, files->usage).value_or("0\n") != "0\n";
}

void DropPages(int group) {
  const ReclaimFiles* const files = FilesOf(group);
  if (files == nullptr) return;
  const auto usage = ReadFile(group, files->usage);
  // Refused where less was reclaimed than is charged; that much is reclaimed all the same.
  if (usage) (void)WriteFile(group, files->reclaim, files->takes_amount ? *usage : "0");
}

Result<void> ReleaseMemory(const FileDescriptor& pidfd) {
  while (::syscall(SYS_process_mrelease, pidfd.get(), 0) != 0) {
    if (errno == EINTR) continue;
    if (errno == EINVAL) return Fail(ErrorCode::kInvalidArgument, "the process was not killed");
    return FailErrno("process_mrelease");
  }
  return {};
}

}  // namespace jettison::kernel
