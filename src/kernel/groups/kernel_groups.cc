#include "kernel/groups/kernel_groups.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/group_processes.h"
#include "kernel/groups/open_files.h"
#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Result<void> RefuseNode(std::string_view path, const char* what) {
  if (!path.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("the node's own group is not to be {}, only groups below it", what));
}

// A group can be busy without a process, too (EBUSY for the kernel's own reasons).
Result<void> RemoveOne(int parent, const std::string& name, int group,
                       SteadyClock::time_point deadline) {
  constexpr milliseconds kLongestPause{20};
  milliseconds pause{1};
  while (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0) {
    if (errno == ENOENT) return {};
    if (errno != EBUSY) return FailErrno("remove group " + name);
    if (SteadyClock::now() >= deadline) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("group {} is still in use by {}", name, DescribeProcesses(group)));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  return {};
}

Result<void> RemoveTree(const GroupPlace& place, SteadyClock::time_point deadline) {
  const auto top = OpenGroup(place.root, place.path);
  if (!top) return top.error().code == ErrorCode::kNotFound ? Result<void>() : Fail(top.error());
  const auto remove = [deadline](int above, const std::string& each, int group) {
    return RemoveOne(above, each, group, deadline);
  };
  const auto below = VisitGroups(top->get(), {.enter = nullptr, .leave = remove});
  if (!below) return Fail(below.error().In(place.path));
  return remove(place.root, place.path, top->get());
}

}  // namespace

// Where tasks are not counted, their files are not read.
KernelGroups::KernelGroups(const NodeDirectories& node, const GroupFileNames& names,
                           milliseconds remove_patience)
    : node_(node),
      oom_kills_(names.oom_kills),
      remove_patience_(remove_patience),
      memory_files_(node.memory, names.memory, GroupsToKeep(), names.optional),
      tasks_files_(node.tasks.value_or(-1), {"pids.current"}, GroupsToKeep()) {}

Result<void> KernelGroups::Remove(std::string_view path) {
  if (auto ok = CheckPath(path); !ok) return ok;
  if (auto ok = RefuseNode(path, "removed"); !ok) return ok;
  Forget(path);
  const auto deadline = SteadyClock::now() + remove_patience_;
  for (const GroupPlace& place : PlacesOf(path)) {
    const auto removed = RemoveTree(place, deadline);
    if (removed) continue;
    const Error& error = removed.error();
    return Of(path,
              Result<void>(Fail(place.hierarchy.empty() ? error : error.In(place.hierarchy))));
  }
  return {};
}

void KernelGroups::Forget(std::string_view path) {
  memory_files_.Forget(path);
  tasks_files_.Forget(path);
}

Result<std::vector<ProcsFile>> KernelGroups::OpenProcs(std::string_view path) {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  std::vector<ProcsFile> files;
  for (const GroupPlace& place : PlacesOf(path)) {
    if (!place.is_own) continue;
    std::string name =
        place.hierarchy.empty() ? place.path : fmt::format("{} ({})", path, place.hierarchy);
    const auto group = OpenGroup(place.root, place.path);
    if (!group) return Fail(group.error().In(name));
    auto file = OpenFileToWrite(group->get(), "cgroup.procs");
    if (!file) return Fail(file.error().In(name));
    files.push_back({.name = std::move(name), .file = std::move(*file)});
  }
  return files;
}

Result<std::vector<pid_t>> KernelGroups::Processes(std::string_view path) {
  const auto group = OpenMemoryDirectory(path);
  if (!group) return Fail(group.error());
  return Of(path, ProcessesBelow(group->get()));
}

Result<void> KernelGroups::Signal(std::string_view path, int signal) {
  if (auto ok = RefuseNode(path, "signalled"); !ok) return ok;
  const auto group = OpenMemoryDirectory(path);
  if (!group) return Fail(group.error());
  return Of(path, SignalBelow(group->get(), signal)).map([](const auto&) {});
}

Result<void> KernelGroups::Kill(std::string_view path) {
  if (auto ok = RefuseNode(path, "killed"); !ok) return ok;
  const auto group = OpenMemoryDirectory(path);
  if (!group) return Fail(group.error());
  return Of(path, KillAll(path, group->get()));
}

// An agent that was killed while it made or removed a group has left it in some hierarchies only.
Result<std::vector<std::string>> KernelGroups::Children(std::string_view path) {
  const auto group = OpenMemoryDirectory(path);
  if (!group) return Fail(group.error());
  auto names = Of(path, Subgroups(group->get()));
  if (!names) return names;
  for (const GroupPlace& place : PlacesOf(path)) {
    if (place.root == node_.memory) continue;
    const auto elsewhere = OpenGroup(place.root, place.path);
    const auto more = elsewhere ? Subgroups(elsewhere->get()) : Fail(elsewhere.error());
    if (more) names->insert(names->end(), more->begin(), more->end());
  }
  std::ranges::sort(*names);
  names->erase(std::unique(names->begin(), names->end()), names->end());
  return names;
}

Result<std::uint64_t> KernelGroups::ReadPids(std::string_view path) {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  if (!node_.tasks) return Fail(node_.tasks.error());
  auto tasks = Of(path, tasks_files_.ReadCounter(path));
  if (!tasks && path.empty() && tasks.error().code == ErrorCode::kUnavailable) {
    return Fail(tasks.error().In("count by /proc/loadavg instead"));
  }
  return tasks;
}

Result<std::optional<std::uint64_t>> KernelGroups::ReadPidsLimit(std::string_view path) {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  if (!node_.tasks) return Fail(node_.tasks.error());
  const auto text = ReadFileOf(*node_.tasks, path, "pids.max");
  if (!text) return Fail(text.error());
  return ParseMax(*text);
}

Result<std::uint64_t> KernelGroups::ReadOomKills(std::string_view path) {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  const auto text = ReadFileOf(node_.memory, path, oom_kills_);
  if (!text) return Fail(text.error());
  return Of(path, RowNumber(*text, "oom_kill"));
}

Result<FileDescriptor> KernelGroups::OpenMemoryDirectory(std::string_view path) const {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  return OpenGroup(node_.memory, path);
}

Result<FileDescriptor> KernelGroups::OpenPressureDirectory(std::string_view path) const {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  if (!node_.unified) return Fail(node_.unified.error());
  return OpenGroup(*node_.unified, path);
}

bool KernelGroups::HasKillFile(std::string_view path) const {
  const auto group = OpenPressureDirectory(path);
  return group && ::faccessat(group->get(), "cgroup.kill", W_OK, 0) == 0;
}

Result<FileDescriptor> OpenMountPoint(const std::string& mount_point) {
  FileDescriptor root(::open(mount_point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return FailErrno("open " + mount_point);
  return root;
}

Result<FileDescriptor> OpenNode(int root, const std::string& mount_point,
                                std::string_view node_group) {
  auto node = OpenGroup(root, node_group);
  if (!node && node.error().code == ErrorCode::kNotFound) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("the node's group does not exist: make {}/{}, or correct nodeCgroup",
                            mount_point, node_group));
  }
  if (!node) return Fail(node.error().In(mount_point));
  return node;
}

}  // namespace jettison::kernel
