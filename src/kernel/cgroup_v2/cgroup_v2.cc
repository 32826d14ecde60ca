#include "kernel/cgroup_v2/cgroup_v2.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/groups/group_files.h"
#include "kernel/groups/group_processes.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/groups/open_files.h"
#include "kernel/mounts/mount_info.h"

namespace jettison::cgroup_v2 {

Result<CgroupMemory> MemoryOf(std::string_view stat) {
  // In the kernel's order; "kernel" exists since Linux 5.18.
  std::array<kernel::Row, 6> rows = {kernel::Row{"anon"}, {"file"},          {"kernel"},
                                     {"shmem"},           {"inactive_file"}, {"active_file"}};
  kernel::FindRows(stat, rows);
  const auto anon = rows[0].Number();
  if (!anon) return Fail(anon.error());
  const auto file = rows[1].Number();
  if (!file) return Fail(file.error());
  const auto inactive = rows[4].Number();
  if (!inactive) return Fail(inactive.error());
  return CgroupMemory{.usage = *anon + *file,
                      .inactive_file = *inactive,
                      .active_file = rows[5].NumberIfAny(),
                      .shared = rows[3].NumberIfAny(),
                      .kernel = rows[2].NumberIfAny()};
}

Result<std::string_view> ParseCpuQuota(std::string_view text) {
  const std::string_view quota = text.substr(0, text.find(' '));
  if (quota == text || (quota != "max" && !kernel::ParseCounter(quota))) {
    return kernel::FailText("a quota and a period", text);
  }
  return quota;
}

}  // namespace jettison::cgroup_v2

namespace jettison {
namespace {

using kernel::Of;

// The files of ReadMemoryFiles. The last kOptionalMemoryFiles of them are not there where swap is
// not accounted.
constexpr const char* kMemoryFiles[] = {"memory.stat", "memory.current", "memory.swap.current"};
constexpr std::size_t kOptionalMemoryFiles = 1;
constexpr std::size_t kSmallBytes = 32;  // a number takes 21 bytes at most

// Of memory.stat, which takes 1.5 KiB on Linux 6.12.
Result<CgroupMemory> ReadStat(const FileDescriptor& file) {
  return kernel::ParseKept<16384>(file, kMemoryFiles[0], cgroup_v2::MemoryOf);
}

Result<std::uint64_t> ReadUsage(const FileDescriptor& file) {
  return kernel::ParseKept<kSmallBytes>(file, kMemoryFiles[1], kernel::ParseCounter);
}

// Reads the open files of a group without allocating. Usage is the lower of before and after the
// rest: page cache that came or went meanwhile, however long that was, is not taken for memory that
// cannot be reclaimed.
Result<CgroupMemory> ReadMemoryFiles(std::span<const FileDescriptor> files) {
  const auto before = ReadUsage(files[1]);
  if (!before) return Fail(before.error());
  auto memory = ReadStat(files[0]);
  if (!memory) return memory;
  if (files[2]) {
    const auto swap =
        kernel::ParseKept<kSmallBytes>(files[2], kMemoryFiles[2], kernel::ParseCounter);
    if (!swap) return Fail(swap.error());
    memory->swap = *swap;
  }
  const auto after = ReadUsage(files[1]);
  if (!after) return Fail(after.error());
  memory->usage = std::min(*before, *after);
  return memory;
}

Result<std::optional<std::uint64_t>> ReadLimitFile(std::span<const FileDescriptor> files) {
  return kernel::ParseKept<kSmallBytes>(files[0], "memory.max", kernel::ParseMax);
}

constexpr std::size_t kGroupsWithLimits = 128;  // on the ways down to what is looked at

Result<void> WriteLimit(int group, const char* file, std::string_view text) {
  auto written = kernel::WriteFile(group, file, text);
  if (written || written.error().code != ErrorCode::kNotFound) return written;
  const std::string_view name(file);
  return Fail(ErrorCode::kUnavailable,
              fmt::format("there is no {}: the {} controller is not in cgroup.subtree_control of "
                          "the group above",
                          name, name.substr(0, name.find('.'))));
}

// If a limit is below the usage, the kernel first reclaims memory and then kills processes (v1
// refuses such a limit). The kernel must not choose what is ended, so only reclaimable memory is
// freed. If that is not enough, the old limit stays.
Result<void> MakeRoom(int group, std::uint64_t bytes) {
  const auto used = [&]() -> std::uint64_t {
    const auto text = kernel::ReadFile(group, "memory.current");
    return text ? kernel::ParseCounter(*text).value_or(0) : 0;
  };
  const std::uint64_t before = used();
  if (before <= bytes) return {};
  (void)kernel::WriteFile(group, "memory.reclaim", std::to_string(before - bytes));
  const std::uint64_t after = used();
  if (after <= bytes) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("{} bytes are in use, a limit of {} would have the kernel kill for them",
                          after, bytes));
}

Result<void> SetMemory(int group, std::uint64_t bytes) {
  if (auto ok = MakeRoom(group, bytes); !ok) return ok;
  return WriteLimit(group, "memory.max", std::to_string(bytes));
}

// "QUOTA PERIOD"; a part that is absent does not change.
Result<void> SetBandwidth(int group, const CgroupLimits& limits) {
  std::string quota;
  if (limits.cpu_quota_us) {
    quota = *limits.cpu_quota_us < 0 ? "max" : std::to_string(*limits.cpu_quota_us);
  } else {
    const auto text = kernel::ReadFile(group, "cpu.max");
    const auto now = text ? cgroup_v2::ParseCpuQuota(*text) : Result<std::string_view>("max");
    if (!now) return Fail(now.error().In("cpu.max"));
    quota = *now;
  }
  if (limits.cpu_period_us) quota += fmt::format(" {}", *limits.cpu_period_us);
  return WriteLimit(group, "cpu.max", quota);
}

// Writes the limits that are present. `group`: its directory. kUnavailable where the controller of
// a limit has not been given to the group, and where more memory is in use than the new limit
// allows and cannot be reclaimed.
Result<void> SetLimits(int group, const CgroupLimits& limits) {
  if (limits.memory_bytes) {
    if (auto ok = SetMemory(group, *limits.memory_bytes); !ok) return ok;
  }
  if (limits.cpu_shares) {
    auto ok =
        WriteLimit(group, "cpu.weight", std::to_string(kernel::CpuWeight(*limits.cpu_shares)));
    if (!ok) return ok;
  }
  if (limits.cpu_quota_us || limits.cpu_period_us) {
    if (auto ok = SetBandwidth(group, limits); !ok) return ok;
  }
  if (limits.pids_max) {
    const std::int64_t max = *limits.pids_max;
    return WriteLimit(group, "pids.max", max < 0 ? "max" : std::to_string(max));
  }
  return {};
}

// Of the groups on the way from the top of the hierarchy down to this one.
Result<std::optional<std::uint64_t>> LowestLimit(kernel::OpenFiles& files, std::string_view group,
                                                 bool top_is_root) {
  std::optional<std::uint64_t> lowest;
  for (std::size_t end = 0;; end = group.find('/', end + 1)) {
    const std::string_view each = group.substr(0, end);
    if (!each.empty() || !top_is_root) {  // the root has no limit
      const auto limit = Of(each, files.Read(each, ReadLimitFile));
      if (!limit) return limit;
      lowest = lowest && *limit ? std::min(lowest, *limit) : (lowest ? lowest : *limit);
    }
    if (end == std::string_view::npos || group.empty()) return lowest;
  }
}

Result<void> Freeze(int group, std::string_view state) {
  auto written = kernel::WriteFile(group, "cgroup.freeze", state);
  const bool is_gone = !written && written.error().code == ErrorCode::kNotFound;
  return is_gone ? Result<void>() : written;
}

// A killed process ends even in a frozen group. But a process that is started there later would not
// run, and a group below may be frozen separately. A write to cgroup.freeze waits for the lock of
// all groups (cgroup_mutex), and a read does not.
Result<void> ThawFrozen(int group) {
  const auto state = kernel::ReadFile(group, "cgroup.freeze");
  if (state) return state->starts_with('1') ? Freeze(group, "0") : Result<void>();
  return state.error().code == ErrorCode::kNotFound ? Result<void>() : Fail(state.error());
}

// Whether the group may have a process.
bool IsPopulated(int group) {
  const auto events = kernel::ReadFile(group, "cgroup.events");
  return !events || kernel::RowNumber(*events, "populated") != 0U;
}

// Signals every listed process. False: that may not suffice, because the second list has a new
// process, the list cannot be read, or nobody is listed but the group has processes, which are then
// outside of the agent's PID namespace.
bool SignalsReachAll(int group) {
  const auto first = kernel::SignalBelow(group, SIGKILL);
  if (!first) return false;
  if (first->empty()) return !IsPopulated(group);
  const auto second = kernel::SignalBelow(group, SIGKILL);
  return second && std::includes(first->begin(), first->end(), second->begin(), second->end());
}

// A write to cgroup.kill waits for the lock of all groups, which another process may hold for
// seconds while the processors are busy. So everybody is signalled first, and it is only written
// where processes may have been missed.
Result<void> KillOnce(int group) {
  if (SignalsReachAll(group)) return {};
  // Missing before Linux 5.14; refused for a threaded group.
  if (kernel::WriteFile(group, "cgroup.kill", "1")) return {};
  return kernel::KillBelow(group, [group] { return Freeze(group, "1"); });
}

}  // namespace

Result<std::unique_ptr<CgroupV2>> CgroupV2::Open(const kernel::GroupsOptions& options) {
  const auto mounts = kernel::ReadMounts(options.mountinfo_file);
  if (!mounts) return Fail(mounts.error());
  auto tree = cgroup_v2::Tree::Open(*mounts, kernel::WithoutLeadingSlash(options.node_cgroup));
  if (!tree) return Fail(tree.error());
  return std::unique_ptr<CgroupV2>(new CgroupV2(std::move(*tree), options));
}

CgroupV2::CgroupV2(cgroup_v2::Tree tree, const kernel::GroupsOptions& options)
    : KernelGroups({.memory = tree.node(), .tasks = tree.node(), .unified = tree.node()},
                   {.memory = {std::begin(kMemoryFiles), std::end(kMemoryFiles)},
                    .optional = kOptionalMemoryFiles,
                    .oom_kills = "memory.events"},
                   options.remove_patience),
      tree_(std::move(tree)),
      root_memory_(tree_.node(), {kMemoryFiles[0]}, 1),
      limits_(tree_.top(), {"memory.max"}, kGroupsWithLimits) {}

Result<void> CgroupV2::Create(std::string_view path, const CgroupLimits& limits) {
  if (auto ok = kernel::CheckPath(path); !ok) return ok;
  if (auto made = kernel::MakeGroups(tree_.node(), path, cgroup_v2::HandControllersDown); !made) {
    return Fail(made.error().In(fmt::format("make group \"{}\"", path)));
  }
  const auto group = OpenMemoryDirectory(path);
  if (!group) return Fail(group.error());
  return Of(path, SetLimits(group->get(), limits));
}

std::vector<kernel::GroupPlace> CgroupV2::PlacesOf(std::string_view path) const {
  return {{.root = tree_.node(), .path = std::string(path)}};
}

Result<void> CgroupV2::KillAll(std::string_view /*path*/, int group) {
  auto killed = KillOnce(group);
  const auto thawed = kernel::VisitGroups(group, {.enter = ThawFrozen, .leave = nullptr});
  if (!killed) return killed;
  if (!thawed) return Fail(thawed.error().In("thaw"));
  return {};
}

Result<CgroupMemory> CgroupV2::ReadMemory(std::string_view path) {
  if (path.empty() && tree_.NodeIsRoot()) {
    return Of(path,
              root_memory_.Read<CgroupMemory>(path, [](auto files) { return ReadStat(files[0]); }));
  }
  return Of(path, memory_files().Read(path, ReadMemoryFiles));
}

std::string CgroupV2::FromTop(std::string_view path) const {
  const std::string& node = tree_.node_group();
  if (node.empty() || path.empty()) return node + std::string(path);
  return fmt::format("{}/{}", node, path);
}

Result<std::optional<std::uint64_t>> CgroupV2::ReadMemoryLimit(std::string_view path) {
  if (auto ok = kernel::CheckPath(path); !ok) return Fail(ok.error());
  return LowestLimit(limits_, FromTop(path), tree_.TopIsRoot());
}

void CgroupV2::Forget(std::string_view path) {
  limits_.Forget(FromTop(path));
  KernelGroups::Forget(path);
}

Result<bool> CgroupV2::HasCpuShares(std::string_view path, std::uint64_t shares) {
  if (auto ok = kernel::CheckPath(path); !ok) return Fail(ok.error());
  const auto text = kernel::ReadFileOf(tree_.node(), path, "cpu.weight");
  if (!text) return Fail(text.error());
  return Of(path, kernel::ParseCounter(*text)).map([shares](std::uint64_t now) {
    return now == kernel::CpuWeight(shares);
  });
}

bool CgroupV2::Has(std::string_view controller) const {
  const auto text = kernel::ReadFile(tree_.node(), "cgroup.controllers");
  return text && cgroup_v2::HasController(*text, controller);
}

}  // namespace jettison
