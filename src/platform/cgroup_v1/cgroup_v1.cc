#include "platform/cgroup_v1/cgroup_v1.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "platform/cgroup_v1/group_io.h"
#include "platform/cgroup_v1/kernel_files.h"
#include "platform/cgroup_v1/limits.h"
#include "platform/cgroup_v1/mounts.h"
#include "platform/cgroup_v1/processes.h"
#include "platform/cgroup_v1/removal.h"

namespace jettison {
namespace {

using cgroup_v1::Controller;

// A quarter of the descriptors the process may have, two for each group.
std::size_t GroupsToKeep() {
  constexpr std::size_t kMost = 4096;
  constexpr rlim_t kShare = 8;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return std::min(kMost, static_cast<std::size_t>(limit.rlim_cur / kShare));
}

std::string_view WithoutLeadingSlash(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

template <typename T>
Result<T> Of(std::string_view path, Result<T> result) {
  if (!result) return Fail(result.error().In(fmt::format("group \"{}\"", path)));
  return result;
}

}  // namespace

Result<std::unique_ptr<CgroupV1>> CgroupV1::Open(const CgroupV1Options& options) {
  const auto points = cgroup_v1::ReadMountInfo(options.mountinfo_file);
  if (!points) return Fail(points.error());
  auto hierarchies =
      cgroup_v1::Hierarchies::Open(*points, WithoutLeadingSlash(options.node_cgroup));
  if (!hierarchies) return Fail(hierarchies.error());
  return std::unique_ptr<CgroupV1>(
      new CgroupV1(std::move(*hierarchies), options.remove_patience, GroupsToKeep()));
}

Result<void> CgroupV1::Create(std::string_view path, const CgroupLimits& limits) {
  if (auto ok = cgroup_v1::CheckPath(path); !ok) return ok;
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
  if (auto ok = cgroup_v1::CheckPath(path); !ok) return ok;
  memory_.Forget(path);
  return Of(path, cgroup_v1::RemoveGroups(hierarchies_, path, remove_patience_));
}

Result<void> CgroupV1::Join(std::string_view path, pid_t pid) {
  if (auto ok = cgroup_v1::CheckPath(path); !ok) return ok;
  return cgroup_v1::Join(hierarchies_, path, pid);
}

Result<std::vector<pid_t>> CgroupV1::Processes(std::string_view path) {
  if (auto ok = cgroup_v1::CheckPath(path); !ok) return Fail(ok.error());
  const auto group = cgroup_v1::OpenGroup(hierarchies_.memory(), path);
  if (!group) return Fail(group.error());
  return Of(path, cgroup_v1::ProcessesBelow(group->get()));
}

Result<void> CgroupV1::Signal(std::string_view path, int signal) {
  if (auto ok = cgroup_v1::CheckPath(path); !ok) return ok;
  return cgroup_v1::SignalAll(hierarchies_, path, signal);
}

Result<void> CgroupV1::Kill(std::string_view path) {
  if (auto ok = cgroup_v1::CheckPath(path); !ok) return ok;
  return cgroup_v1::KillAll(hierarchies_, path);
}

Result<std::vector<std::string>> CgroupV1::Children(std::string_view path) {
  if (auto ok = cgroup_v1::CheckPath(path); !ok) return Fail(ok.error());
  const auto group = cgroup_v1::OpenGroup(hierarchies_.memory(), path);
  if (!group) return Fail(group.error());
  auto names = Of(path, cgroup_v1::Subgroups(group->get()));
  if (names) std::sort(names->begin(), names->end());
  return names;
}

Result<CgroupMemory> CgroupV1::ReadMemory(std::string_view path) {
  return memory_.Read(path);
}

Result<std::optional<std::uint64_t>> CgroupV1::ReadMemoryLimit(std::string_view path) {
  return memory_.ReadLimit(path);
}

Result<std::uint64_t> CgroupV1::ReadPids(std::string_view path) {
  if (auto ok = cgroup_v1::CheckPath(path); !ok) return Fail(ok.error());
  const auto node = hierarchies_.NodeOf(Controller::kPids);
  if (!node) return Fail(node.error());
  const auto group = cgroup_v1::OpenGroup(*node, path);
  if (!group) return Fail(group.error());
  const auto text = cgroup_v1::ReadFile(group->get(), "pids.current");
  if (!text && path.empty() && text.error().code == ErrorCode::kNotFound) {
    return Fail(ErrorCode::kUnavailable,
                "the root group has no pids.current: count by /proc/loadavg instead");
  }
  if (!text) return Fail(text.error());
  return Of(path, cgroup_v1::ParseCounter(*text));
}

Result<std::uint64_t> CgroupV1::ReadOomKills(std::string_view path) {
  if (auto ok = cgroup_v1::CheckPath(path); !ok) return Fail(ok.error());
  const auto group = cgroup_v1::OpenGroup(hierarchies_.memory(), path);
  if (!group) return Fail(group.error());
  const auto text = cgroup_v1::ReadFile(group->get(), "memory.oom_control");
  if (!text) return Fail(text.error());
  return Of(path, cgroup_v1::ParseOomKills(*text));
}

Result<FileDescriptor> CgroupV1::OpenMemoryDirectory(std::string_view path) const {
  if (auto ok = cgroup_v1::CheckPath(path); !ok) return Fail(ok.error());
  return cgroup_v1::OpenGroup(hierarchies_.memory(), path);
}

bool CgroupV1::HasKillFile(std::string_view path) const {
  const auto node = hierarchies_.NodeOf(Controller::kUnified);
  if (!node || !cgroup_v1::CheckPath(path)) return false;
  const auto group = cgroup_v1::OpenGroup(*node, path);
  return group && ::faccessat(group->get(), "cgroup.kill", W_OK, 0) == 0;
}

}  // namespace jettison
