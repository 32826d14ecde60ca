#include "kernel/cgroup_v2/cgroup_v2.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernel/cgroup_v2/kernel_files.h"
#include "kernel/cgroup_v2/limits.h"
#include "kernel/cgroup_v2/memory_figures.h"
#include "kernel/cgroup_v2/removal.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/group_processes.h"
#include "kernel/groups/kernel_text.h"
#include "kernel/mounts/mount_info.h"

namespace jettison {
namespace {

constexpr std::size_t kGroupsOnTheWayUp = 64;
constexpr std::size_t kGroupsWithSharesCompared = 16;

std::string_view WithoutLeadingSlash(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

template <typename T>
Result<T> Of(std::string_view path, Result<T> result) {
  if (!result) return Fail(result.error().In(fmt::format("group \"{}\"", path)));
  return result;
}

Result<void> RefuseNode(std::string_view path, const char* what) {
  if (!path.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("the node's own group is not to be {}, only groups below it", what));
}

std::optional<std::uint64_t> Lower(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  return a && b ? std::min(a, b) : (a ? a : b);
}

}  // namespace

Result<std::unique_ptr<CgroupV2>> CgroupV2::Open(const CgroupV2Options& options) {
  const auto mounts = kernel::ReadMounts(options.mountinfo_file);
  if (!mounts) return Fail(mounts.error());
  auto tree = cgroup_v2::Tree::Open(*mounts, WithoutLeadingSlash(options.node_cgroup));
  if (!tree) return Fail(tree.error());
  return std::unique_ptr<CgroupV2>(new CgroupV2(std::move(*tree), options, kernel::GroupsToKeep()));
}

CgroupV2::CgroupV2(cgroup_v2::Tree tree, const CgroupV2Options& options, std::size_t keep)
    : tree_(std::move(tree)),
      remove_patience_(options.remove_patience),
      kill_by_(options.kill_by),
      usage_(tree_.node(), {cgroup_v2::kUsageFile}, keep),
      memory_(tree_.node(),
              {std::begin(cgroup_v2::kMemoryFiles), std::end(cgroup_v2::kMemoryFiles)}, keep,
              cgroup_v2::kOptionalMemoryFiles),
      root_memory_(tree_.node(),
                   {std::begin(cgroup_v2::kRootMemoryFiles), std::end(cgroup_v2::kRootMemoryFiles)},
                   keep),
      tasks_(tree_.node(), {"pids.current"}, keep),
      weights_(tree_.node(), {"cpu.weight"}, kGroupsWithSharesCompared),
      oom_kills_(tree_.node(), {"memory.events"}, 0),
      limits_(tree_.node(), {"memory.max"}, kGroupsOnTheWayUp),
      limits_above_(tree_.top(), {"memory.max"}, kGroupsOnTheWayUp) {}

Result<FileDescriptor> CgroupV2::OpenBelowNode(std::string_view path) const {
  if (auto ok = kernel::CheckPath(path); !ok) return Fail(ok.error());
  return kernel::OpenGroup(tree_.node(), path);
}

Result<void> CgroupV2::Create(std::string_view path, const CgroupLimits& limits) {
  if (auto ok = kernel::CheckPath(path); !ok) return ok;
  if (auto made = cgroup_v2::MakeGroups(tree_.node(), path); !made) {
    return Fail(made.error().In(fmt::format("make group \"{}\"", path)));
  }
  const auto group = OpenBelowNode(path);
  if (!group) return Fail(group.error());
  return Of(path, cgroup_v2::SetLimits(group->get(), limits));
}

Result<void> CgroupV2::Remove(std::string_view path) {
  if (auto ok = kernel::CheckPath(path); !ok) return ok;
  if (auto ok = RefuseNode(path, "removed"); !ok) return ok;
  Forget(path);
  return Of(path, cgroup_v2::RemoveGroups(tree_.node(), path, remove_patience_));
}

void CgroupV2::Forget(std::string_view path) {
  for (kernel::KeptFiles* kept : {&usage_, &memory_, &tasks_, &weights_, &limits_}) {
    kept->Forget(path);
  }
}

Result<void> CgroupV2::Join(std::string_view path, pid_t pid) {
  const auto group = OpenBelowNode(path);
  if (!group) return Fail(group.error());
  return Of(path, cgroup_v2::Join(group->get(), pid));
}

Result<std::vector<ProcsFile>> CgroupV2::OpenProcs(std::string_view path) {
  const auto group = OpenBelowNode(path);
  if (!group) return Fail(group.error());
  auto file = kernel::OpenFileToWrite(group->get(), "cgroup.procs");
  if (!file) return Fail(file.error().In(fmt::format("group \"{}\"", path)));
  std::vector<ProcsFile> files;
  files.push_back({.name = std::string(path), .file = std::move(*file)});
  return files;
}

Result<std::vector<pid_t>> CgroupV2::Processes(std::string_view path) {
  const auto group = OpenBelowNode(path);
  if (!group) return Fail(group.error());
  return Of(path, kernel::ProcessesBelow(group->get()));
}

Result<void> CgroupV2::Signal(std::string_view path, int signal) {
  if (auto ok = RefuseNode(path, "signalled"); !ok) return ok;
  const auto group = OpenBelowNode(path);
  if (!group) return Fail(group.error());
  const auto pids = kernel::SignalBelow(group->get(), signal);
  if (!pids) return Of(path, Result<void>(Fail(pids.error())));
  return {};
}

Result<void> CgroupV2::Kill(std::string_view path) {
  if (auto ok = RefuseNode(path, "killed"); !ok) return ok;
  const auto group = OpenBelowNode(path);
  if (!group) return Fail(group.error());
  return Of(path, cgroup_v2::KillAll(group->get(), kill_by_));
}

Result<std::vector<std::string>> CgroupV2::Children(std::string_view path) {
  const auto group = OpenBelowNode(path);
  if (!group) return Fail(group.error());
  auto names = Of(path, kernel::Subgroups(group->get()));
  if (names) std::sort(names->begin(), names->end());
  return names;
}

Result<CgroupMemory> CgroupV2::ReadMemory(std::string_view path) {
  if (path.empty() && tree_.NodeIsRoot()) {
    return Of(path, root_memory_.Read(path, cgroup_v2::ReadRootMemoryFiles));
  }
  return Of(path, memory_.Read(path, cgroup_v2::ReadMemoryFiles));
}

Result<std::uint64_t> CgroupV2::ReadMemoryUsage(std::string_view path) {
  if (path.empty() && tree_.NodeIsRoot()) return Cgroups::ReadMemoryUsage(path);
  return Of(path, usage_.Read(path, cgroup_v2::ReadUsageFile));
}

Result<std::optional<std::uint64_t>> CgroupV2::ReadLimitOf(std::string_view path) {
  if (path.empty() && tree_.NodeIsRoot()) return std::nullopt;
  return Of(path, limits_.Read(path, cgroup_v2::ReadLimitFile));
}

Result<std::optional<std::uint64_t>> CgroupV2::ReadLimitAboveNode() {
  const std::string_view node = tree_.node_group();
  std::optional<std::uint64_t> lowest;
  if (node.empty()) return lowest;
  for (std::size_t end = 0; end != std::string_view::npos; end = node.find('/', end + 1)) {
    const std::string_view above = node.substr(0, end);
    if (above.empty() && tree_.TopIsRoot()) continue;
    const auto limit = Of(above, limits_above_.Read(above, cgroup_v2::ReadLimitFile));
    if (!limit) return limit;
    lowest = Lower(lowest, *limit);
  }
  return lowest;
}

Result<std::optional<std::uint64_t>> CgroupV2::ReadMemoryLimit(std::string_view path) {
  if (auto ok = kernel::CheckPath(path); !ok) return Fail(ok.error());
  auto lowest = ReadLimitAboveNode();
  if (!lowest) return lowest;
  for (std::size_t end = 0;; end = path.find('/', end + 1)) {
    auto limit = ReadLimitOf(path.substr(0, end));
    if (!limit) return limit;
    lowest = Lower(*lowest, *limit);
    if (end == std::string_view::npos || path.empty()) return lowest;
  }
}

Result<std::uint64_t> CgroupV2::ReadPids(std::string_view path) {
  auto tasks = Of(path, tasks_.Read(path, cgroup_v2::ReadTasksFile));
  if (!tasks && path.empty() && tree_.NodeIsRoot()) {
    return Fail(tasks.error().In("count by /proc/loadavg instead"));
  }
  return tasks;
}

Result<std::optional<std::uint64_t>> CgroupV2::ReadPidsLimit(std::string_view path) {
  const auto group = OpenBelowNode(path);
  if (!group) return Fail(group.error());
  const auto text = kernel::ReadFile(group->get(), "pids.max");
  if (!text) return Fail(text.error());
  return kernel::ParsePidsLimit(*text);
}

Result<bool> CgroupV2::HasCpuShares(std::string_view path, std::uint64_t shares) {
  return Of(path, weights_.Read(path, cgroup_v2::ReadWeightFile)).map([shares](std::uint64_t now) {
    return now == cgroup_v2::CpuWeight(shares);
  });
}

Result<std::uint64_t> CgroupV2::ReadOomKills(std::string_view path) {
  return Of(path, oom_kills_.Read(path, cgroup_v2::ReadOomKillsFile));
}

Result<FileDescriptor> CgroupV2::OpenMemoryDirectory(std::string_view path) const {
  return OpenBelowNode(path);
}

bool CgroupV2::Has(std::string_view controller) const {
  const auto text = kernel::ReadFile(tree_.node(), "cgroup.controllers");
  return text && cgroup_v2::HasController(*text, controller);
}

bool CgroupV2::HasKillFile(std::string_view path) const {
  const auto group = OpenBelowNode(path);
  return group && ::faccessat(group->get(), "cgroup.kill", W_OK, 0) == 0;
}

}  // namespace jettison
