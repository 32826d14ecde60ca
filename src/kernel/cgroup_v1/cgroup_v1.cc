#include "kernel/cgroup_v1/cgroup_v1.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "kernel/cgroup_v1/hierarchies.h"
#include "kernel/cgroup_v1/kernel_files.h"
#include "kernel/cgroup_v1/limits.h"
#include "kernel/cgroup_v1/memory_figures.h"
#include "kernel/cgroup_v1/processes.h"
#include "kernel/cgroup_v1/removal.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/group_processes.h"
#include "kernel/groups/kernel_text.h"
#include "kernel/mounts/mount_info.h"

namespace jettison {
namespace {

using cgroup_v1::Controller;
using kernel::CheckPath;
using kernel::OpenGroup;

std::string_view WithoutLeadingSlash(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

template <typename T>
Result<T> Of(std::string_view path, Result<T> result) {
  if (!result) return Fail(result.error().In(fmt::format("group \"{}\"", path)));
  return result;
}

constexpr std::size_t kGroupsWithSharesCompared = 16;

Result<std::uint64_t> ReadCounter(std::span<const FileDescriptor> files, const char* name) {
  std::array<char, 32> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): pread fills it
  const auto text = kernel::ReadKept(files.front().get(), buffer);
  if (!text) return Fail(text.error().In(name));
  return kernel::ParseCounter(*text);
}
Result<std::uint64_t> ReadTasks(std::span<const FileDescriptor> files) {
  return ReadCounter(files, "pids.current");
}
Result<std::uint64_t> ReadShares(std::span<const FileDescriptor> files) {
  return ReadCounter(files, "cpu.shares");
}

}  // namespace

Result<std::unique_ptr<CgroupV1>> CgroupV1::Open(const CgroupV1Options& options) {
  const auto mounts = kernel::ReadMounts(options.mountinfo_file);
  if (!mounts) return Fail(mounts.error());
  auto hierarchies = cgroup_v1::Hierarchies::Open(cgroup_v1::FindHierarchies(*mounts),
                                                  WithoutLeadingSlash(options.node_cgroup));
  if (!hierarchies) return Fail(hierarchies.error());
  return std::unique_ptr<CgroupV1>(
      new CgroupV1(std::move(*hierarchies), options.remove_patience, kernel::GroupsToKeep()));
}

// If no pids or cpu controller is mounted, its files are not read.
CgroupV1::CgroupV1(cgroup_v1::Hierarchies hierarchies, std::chrono::milliseconds remove_patience,
                   std::size_t keep)
    : hierarchies_(std::move(hierarchies)),
      remove_patience_(remove_patience),
      usage_(hierarchies_.memory(), {cgroup_v1::kUsageFile}, keep),
      memory_(hierarchies_.memory(),
              {std::begin(cgroup_v1::kMemoryFiles), std::end(cgroup_v1::kMemoryFiles)}, keep),
      tasks_(hierarchies_.NodeOf(Controller::kPids).value_or(-1), {"pids.current"}, keep),
      shares_(hierarchies_.NodeOf(Controller::kCpu).value_or(-1), {"cpu.shares"},
              kGroupsWithSharesCompared) {}

Result<void> CgroupV1::Create(std::string_view path, const CgroupLimits& limits) {
  if (auto ok = CheckPath(path); !ok) return ok;
  const auto nothing = [](int) { return Result<void>(); };
  for (const cgroup_v1::Hierarchy& hierarchy : hierarchies_.all()) {
    const bool is_memory = hierarchy.node.get() == hierarchies_.memory();
    auto made = is_memory
                    ? cgroup_v1::MakeGroups(hierarchy.node.get(), path, cgroup_v1::CountDescendants)
                    : cgroup_v1::MakeGroups(hierarchy.node.get(), path, nothing);
    if (!made) {
      return Fail(made.error().In(
          fmt::format("make group \"{}\" ({})", path, NameOf(hierarchy.controllers.front()))));
    }
  }
  return Of(path, cgroup_v1::SetLimits(hierarchies_, path, limits));
}

Result<void> CgroupV1::Remove(std::string_view path) {
  if (auto ok = CheckPath(path); !ok) return ok;
  Forget(path);
  return Of(path, cgroup_v1::RemoveGroups(hierarchies_, path, remove_patience_));
}

void CgroupV1::Forget(std::string_view path) {
  for (kernel::KeptFiles* kept : {&usage_, &memory_, &tasks_, &shares_}) kept->Forget(path);
}

Result<void> CgroupV1::Join(std::string_view path, pid_t pid) {
  if (auto ok = CheckPath(path); !ok) return ok;
  return cgroup_v1::Join(hierarchies_, path, pid);
}

Result<std::vector<ProcsFile>> CgroupV1::OpenProcs(std::string_view path) {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  return cgroup_v1::OpenProcs(hierarchies_, path);
}

Result<std::vector<pid_t>> CgroupV1::Processes(std::string_view path) {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  const auto group = OpenGroup(hierarchies_.memory(), path);
  if (!group) return Fail(group.error());
  return Of(path, kernel::ProcessesBelow(group->get()));
}

Result<void> CgroupV1::Signal(std::string_view path, int signal) {
  if (auto ok = CheckPath(path); !ok) return ok;
  return cgroup_v1::SignalAll(hierarchies_, path, signal);
}

Result<void> CgroupV1::Kill(std::string_view path) {
  if (auto ok = CheckPath(path); !ok) return ok;
  return cgroup_v1::KillAll(hierarchies_, path);
}

Result<std::vector<std::string>> CgroupV1::Children(std::string_view path) {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  const auto group = OpenGroup(hierarchies_.memory(), path);
  if (!group) return Fail(group.error());
  auto names = Of(path, kernel::Subgroups(group->get()));
  if (!names) return names;
  // An agent that was killed while it made or removed a group has left it in some hierarchies only.
  const auto add = [&](int root, const std::string& below) {
    const auto elsewhere = OpenGroup(root, below);
    auto more = elsewhere ? kernel::Subgroups(elsewhere->get()) : Fail(elsewhere.error());
    if (more) names->insert(names->end(), more->begin(), more->end());
  };
  for (const auto& hierarchy : hierarchies_.all()) {
    if (hierarchy.node.get() != hierarchies_.memory()) add(hierarchy.node.get(), std::string(path));
  }
  for (const auto& hierarchy : hierarchies_.foreign()) {
    add(hierarchy.root.get(), cgroup_v1::PathFromRoot(hierarchies_, path));
  }
  std::sort(names->begin(), names->end());
  names->erase(std::unique(names->begin(), names->end()), names->end());
  return names;
}

Result<LimitedMemory> CgroupV1::ReadLimitedMemory(std::string_view path) {
  return Of(path, memory_.Read(path, cgroup_v1::ReadMemoryFiles));
}

Result<CgroupMemory> CgroupV1::ReadMemory(std::string_view path) {
  const auto reading = ReadLimitedMemory(path);
  if (!reading) return Fail(reading.error());
  return reading->memory;
}

Result<std::uint64_t> CgroupV1::ReadMemoryUsage(std::string_view path) {
  return Of(path, usage_.Read(path, cgroup_v1::ReadUsageFile));
}

Result<std::optional<std::uint64_t>> CgroupV1::ReadMemoryLimit(std::string_view path) {
  const auto reading = ReadLimitedMemory(path);
  if (!reading) return Fail(reading.error());
  return reading->limit;
}

Result<std::uint64_t> CgroupV1::ReadPids(std::string_view path) {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  const auto node = hierarchies_.NodeOf(Controller::kPids);
  if (!node) return Fail(node.error());
  auto tasks = Of(path, tasks_.Read(path, ReadTasks));
  if (!tasks && path.empty() && tasks.error().code == ErrorCode::kUnavailable) {
    return Fail(tasks.error().In("count by /proc/loadavg instead"));
  }
  return tasks;
}

Result<std::optional<std::uint64_t>> CgroupV1::ReadPidsLimit(std::string_view path) {
  const auto node = hierarchies_.NodeOf(Controller::kPids);
  if (!node) return Fail(node.error());
  const auto group = kernel::OpenGroup(*node, path);
  if (!group) return Fail(group.error());
  const auto text = kernel::ReadFile(group->get(), "pids.max");
  if (!text) return Fail(text.error());
  return kernel::ParsePidsLimit(*text);
}

Result<bool> CgroupV1::HasCpuShares(std::string_view path, std::uint64_t shares) {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  if (hierarchies_.Find(Controller::kCpu) == nullptr) return true;  // as after Create
  return Of(path, shares_.Read(path, ReadShares)).map([shares](std::uint64_t now) {
    return now == shares;
  });
}

Result<std::uint64_t> CgroupV1::ReadOomKills(std::string_view path) {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  const auto group = OpenGroup(hierarchies_.memory(), path);
  if (!group) return Fail(group.error());
  const auto text = kernel::ReadFile(group->get(), "memory.oom_control");
  if (!text) return Fail(text.error());
  return Of(path, cgroup_v1::ParseOomKills(*text));
}

Result<FileDescriptor> CgroupV1::OpenMemoryDirectory(std::string_view path) const {
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  return OpenGroup(hierarchies_.memory(), path);
}

Result<FileDescriptor> CgroupV1::OpenPressureDirectory(std::string_view path) const {
  const auto node = hierarchies_.NodeOf(Controller::kUnified);
  if (!node) {
    return Fail(ErrorCode::kUnavailable,
                "groups have no pressure files without a unified hierarchy: mount -t cgroup2 none "
                "/sys/fs/cgroup/unified");
  }
  if (auto ok = CheckPath(path); !ok) return Fail(ok.error());
  return OpenGroup(*node, path);
}

bool CgroupV1::HasKillFile(std::string_view path) const {
  const auto node = hierarchies_.NodeOf(Controller::kUnified);
  if (!node || !CheckPath(path)) return false;
  const auto group = OpenGroup(*node, path);
  return group && ::faccessat(group->get(), "cgroup.kill", W_OK, 0) == 0;
}

}  // namespace jettison
