#include "pod_host/group_processes.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>

#include "pod_host/group_files.h"
#include "pod_host/kernel_text.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::pod_host {
namespace {

constexpr std::size_t kNamedProcesses = 5;

// Gone meanwhile, or a threaded group: the kernel answers EOPNOTSUPP for its list.
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

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree of groups, which the kernel bounds
Result<void> AppendProcesses(int group, std::vector<pid_t>& pids) {
  if (auto ok = AppendOwn(group, pids); !ok) return ok;
  const auto names = Subgroups(group);
  if (!names) {
    return names.error().code == ErrorCode::kNotFound ? Result<void>() : Fail(names.error());
  }
  for (const std::string& name : *names) {
    const auto below = OpenGroup(group, name);
    if (!below && below.error().code == ErrorCode::kNotFound) continue;
    if (!below) return Fail(below.error());
    if (auto ok = AppendProcesses(below->get(), pids); !ok) return Fail(ok.error().In(name));
  }
  return {};
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
  if (auto ok = AppendProcesses(group, pids); !ok) return Fail(ok.error());
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

Result<void> SendTo(const std::vector<pid_t>& pids, int signal) {
  for (const pid_t pid : pids) {
    if (::kill(pid, signal) != 0 && errno != ESRCH) {
      return FailErrno(fmt::format("send signal {} to process {}", signal, pid));
    }
  }
  return {};
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

}  // namespace jettison::pod_host
