#include "kernel/cgroup_v1/cgroup_v1.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "kernel/groups/group_files.h"
#include "kernel/groups/group_processes.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/groups/open_files.h"
#include "kernel/mounts/mount_info.h"

namespace jettison::cgroup_v1 {
namespace {

// What v1 writes for "unlimited" is the greatest multiple of a page below 2^63. Anything from 2^62
// is taken for that, since the page size varies.
constexpr std::uint64_t kUnlimitedFrom = std::uint64_t{1} << 62;

std::optional<std::uint64_t> AbsentIfUnlimited(std::uint64_t limit) {
  if (limit >= kUnlimitedFrom) return std::nullopt;
  return limit;
}

}  // namespace

Result<LimitedMemory> MemoryOf(std::string_view stat, std::uint64_t usage) {
  // In the kernel's order.
  std::array<kernel::Row, 7> rows = {kernel::Row{"hierarchical_memory_limit"},
                                     {"total_cache"},
                                     {"total_rss"},
                                     {"total_shmem"},
                                     {"total_swap"},
                                     {"total_inactive_file"},
                                     {"total_active_file"}};
  kernel::FindRows(stat, rows);
  const auto limit = rows[0].Number();
  if (!limit) return Fail(limit.error());
  const auto inactive = rows[5].Number();
  if (!inactive) return Fail(inactive.error());
  LimitedMemory memory{.memory = {.usage = usage,
                                  .inactive_file = *inactive,
                                  .active_file = rows[6].NumberIfAny(),
                                  .swap = rows[4].NumberIfAny(),
                                  .shared = rows[3].NumberIfAny()},
                       .limit = AbsentIfUnlimited(*limit)};
  // What is charged beside anonymous memory and page cache is the kernel's own; v1 has no row for
  // it.
  const auto cache = rows[1].NumberIfAny();
  const auto rss = rows[2].NumberIfAny();
  if (cache && rss) memory.memory.kernel = usage > *cache + *rss ? usage - *cache - *rss : 0;
  return memory;
}

}  // namespace jettison::cgroup_v1

namespace jettison {
namespace {

using cgroup_v1::Controller;
using kernel::Of;
using kernel::OpenGroup;
using kernel::WriteFile;

bool Vanished(const Error& error) {
  return error.code == ErrorCode::kNotFound;
}

// What has gone needs no write.
Result<void> WriteIfThere(int group, const char* file, std::string_view text) {
  auto written = WriteFile(group, file, text);
  return !written && Vanished(written.error()) ? Result<void>() : written;
}

// The group in the hierarchy of a controller; absent where either is missing.
Result<std::optional<FileDescriptor>> FindGroup(const cgroup_v1::Hierarchies& hierarchies,
                                                Controller controller, std::string_view path) {
  const cgroup_v1::Hierarchy* const hierarchy = hierarchies.Find(controller);
  if (hierarchy == nullptr) return std::nullopt;
  auto group = OpenGroup(hierarchy->directory.get(), path);
  if (group) return std::move(*group);
  if (Vanished(group.error())) return std::nullopt;
  return Fail(group.error());
}

// Writes the limits that are present.
Result<void> SetLimits(const cgroup_v1::Hierarchies& hierarchies, std::string_view path,
                       const CgroupLimits& limits) {
  const auto write = [&](Controller controller, const char* file,
                         const std::optional<std::string>& text) -> Result<void> {
    if (!text) return {};
    const auto node = hierarchies.NodeOf(controller);
    if (!node) return Fail(node.error());
    const auto group = OpenGroup(*node, path);
    return group ? WriteFile(group->get(), file, *text) : Fail(group.error());
  };
  const auto text = [](const auto& limit) {
    return limit ? std::optional(std::to_string(*limit)) : std::nullopt;
  };
  // The kernel checks quota and period together against the group above, so one of the two orders
  // of writing them may be refused.
  const auto write_period = [&] {
    return write(Controller::kCpu, "cpu.cfs_period_us", text(limits.cpu_period_us));
  };
  auto ok = write(Controller::kMemory, "memory.limit_in_bytes", text(limits.memory_bytes));
  // Shares divide a controller that is not there; a quota would be a promise.
  if (ok && hierarchies.Find(Controller::kCpu) != nullptr) {
    ok = write(Controller::kCpu, "cpu.shares", text(limits.cpu_shares));
  }
  const bool period_first = ok && write_period();
  if (ok) ok = write(Controller::kCpu, "cpu.cfs_quota_us", text(limits.cpu_quota_us));
  if (ok && !period_first) ok = write_period();
  const bool is_unlimited = limits.pids_max && *limits.pids_max < 0;
  if (ok) ok = write(Controller::kPids, "pids.max", is_unlimited ? "max" : text(limits.pids_max));
  return ok;
}

// cgroup.kill (Linux 5.14) leaves no way to fork out of it. It reaches what is in the unified
// hierarchy; if that, the group or the file is missing, there is nothing to do.
Result<void> SealUnified(const cgroup_v1::Hierarchies& hierarchies, std::string_view path) {
  const auto group = FindGroup(hierarchies, Controller::kUnified, path);
  if (!group) return Fail(group.error());
  return *group ? WriteIfThere((*group)->get(), "cgroup.kill", "1") : Result<void>();
}

// A frozen v1 task does not act on SIGKILL before it is thawed, and a frozen group below stays
// frozen when the one above thaws.
Result<void> SetFrozen(const cgroup_v1::Hierarchies& hierarchies, std::string_view path,
                       std::string_view state) {
  const auto top = FindGroup(hierarchies, Controller::kFreezer, path);
  if (!top) return Fail(top.error());
  if (!*top) return {};
  const auto set = [state](int group) { return WriteIfThere(group, "freezer.state", state); };
  return kernel::VisitGroups((*top)->get(), {.enter = set, .leave = nullptr});
}

// A frozen pod freezes its containers. Groups above the pod are others' business.
Result<void> ThawPodOf(const cgroup_v1::Hierarchies& hierarchies, std::string_view path) {
  const auto group = FindGroup(hierarchies, Controller::kFreezer, path);
  if (!group || !*group) return {};
  const auto frozen_above = kernel::ReadFile((*group)->get(), "freezer.parent_freezing");
  if (!frozen_above || !frozen_above->starts_with('1')) return {};
  bool in_pod = false;
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', end + 1)) {
    const std::string_view above = path.substr(0, end);
    in_pod = in_pod || kernel::IsPodName(above.substr(above.rfind('/') + 1));
    if (!in_pod) continue;
    const auto opened = FindGroup(hierarchies, Controller::kFreezer, above);
    if (!opened) return Fail(opened.error());
    if (!*opened) continue;
    auto thawed = WriteIfThere((*opened)->get(), "freezer.state", "THAWED");
    if (!thawed) return thawed;
  }
  return {};
}

// For messages.
std::string_view NameOf(const cgroup_v1::Hierarchy& hierarchy) {
  if (hierarchy.controllers.empty()) return hierarchy.mount_point;
  return NameOf(hierarchy.controllers.front());
}

kernel::NodeDirectories DirectoriesOf(const cgroup_v1::Hierarchies& hierarchies) {
  auto unified = hierarchies.NodeOf(Controller::kUnified);
  if (!unified) {
    unified = Fail(ErrorCode::kUnavailable,
                   "groups have no pressure files without a unified hierarchy: mount -t cgroup2 "
                   "none /sys/fs/cgroup/unified");
  }
  return {.memory = hierarchies.all().front().directory.get(),
          .tasks = hierarchies.NodeOf(Controller::kPids),
          .unified = std::move(unified)};
}

// The files of ReadMemoryFiles.
constexpr const char* kMemoryFiles[] = {"memory.stat", "memory.usage_in_bytes"};

Result<std::uint64_t> ReadUsage(const FileDescriptor& file) {
  return kernel::ParseKept<32>(file, kMemoryFiles[1], kernel::ParseCounter);
}

// Reads the open files of a group without allocating. Usage is the lower of before and after the
// rest: page cache that came or went meanwhile, however long that was, is not taken for memory that
// cannot be reclaimed.
Result<LimitedMemory> ReadMemoryFiles(std::span<const FileDescriptor> files) {
  const auto before = ReadUsage(files[1]);
  if (!before) return Fail(before.error());
  // memory.stat takes 1.3 KiB on Linux 6.18.
  std::array<char, 8192> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const auto stat = kernel::ReadKept(files[0].get(), buffer);
  if (!stat) return Fail(stat.error().In(kMemoryFiles[0]));
  const auto after = ReadUsage(files[1]);
  if (!after) return Fail(after.error());
  auto memory = cgroup_v1::MemoryOf(*stat, std::min(*before, *after));
  if (!memory) return Fail(memory.error().In(kMemoryFiles[0]));
  return memory;
}

}  // namespace

Result<std::unique_ptr<CgroupV1>> CgroupV1::Open(const kernel::GroupsOptions& options) {
  const auto mounts = kernel::ReadMounts(options.mountinfo_file);
  if (!mounts) return Fail(mounts.error());
  auto hierarchies = cgroup_v1::Hierarchies::Open(cgroup_v1::FindHierarchies(*mounts),
                                                  kernel::WithoutLeadingSlash(options.node_cgroup));
  if (!hierarchies) return Fail(hierarchies.error());
  return std::unique_ptr<CgroupV1>(new CgroupV1(std::move(*hierarchies), options));
}

CgroupV1::CgroupV1(cgroup_v1::Hierarchies hierarchies, const kernel::GroupsOptions& options)
    : KernelGroups(DirectoriesOf(hierarchies),
                   {.memory = {std::begin(kMemoryFiles), std::end(kMemoryFiles)},
                    .oom_kills = "memory.oom_control"},
                   options.remove_patience),
      hierarchies_(std::move(hierarchies)) {}

Result<void> CgroupV1::Create(std::string_view path, const CgroupLimits& limits) {
  if (auto ok = kernel::CheckPath(path); !ok) return ok;
  for (const cgroup_v1::Hierarchy& hierarchy : hierarchies_.all()) {
    if (hierarchy.controllers.empty()) continue;
    if (auto made = kernel::MakeGroups(hierarchy.directory.get(), path); !made) {
      return Fail(made.error().In(fmt::format("make group \"{}\" ({})", path, NameOf(hierarchy))));
    }
  }
  return Of(path, SetLimits(hierarchies_, path, limits));
}

std::vector<kernel::GroupPlace> CgroupV1::PlacesOf(std::string_view path) const {
  const std::string& node = hierarchies_.node_group();
  const std::string from_root =
      node.empty() || path.empty() ? node + std::string(path) : fmt::format("{}/{}", node, path);
  std::vector<kernel::GroupPlace> places;
  for (const cgroup_v1::Hierarchy& hierarchy : hierarchies_.all()) {
    const bool is_own = !hierarchy.controllers.empty();
    places.push_back({.root = hierarchy.directory.get(),
                      .path = is_own ? std::string(path) : from_root,
                      .hierarchy = NameOf(hierarchy),
                      .is_own = is_own});
  }
  return places;
}

// If the group cannot be sealed, the signals alone must suffice.
Result<void> CgroupV1::KillAll(std::string_view path, int group) {
  const auto killed = kernel::KillBelow(group, [&] {
    (void)SealUnified(hierarchies_, path);
    return SetFrozen(hierarchies_, path, "FROZEN");
  });
  auto thawed = SetFrozen(hierarchies_, path, "THAWED");
  if (thawed) thawed = ThawPodOf(hierarchies_, path);
  if (!killed) return Fail(killed.error().In("kill"));
  if (!thawed) return Fail(thawed.error().In("thaw"));
  return {};
}

Result<LimitedMemory> CgroupV1::ReadLimitedMemory(std::string_view path) {
  return Of(path, memory_files().Read(path, ReadMemoryFiles));
}

Result<CgroupMemory> CgroupV1::ReadMemory(std::string_view path) {
  return ReadLimitedMemory(path).map([](const LimitedMemory& reading) { return reading.memory; });
}

Result<std::optional<std::uint64_t>> CgroupV1::ReadMemoryLimit(std::string_view path) {
  return ReadLimitedMemory(path).map([](const LimitedMemory& reading) { return reading.limit; });
}

Result<bool> CgroupV1::HasCpuShares(std::string_view path, std::uint64_t shares) {
  if (auto ok = kernel::CheckPath(path); !ok) return Fail(ok.error());
  if (!Has(Controller::kCpu)) return true;  // as after Create
  const auto text = kernel::ReadFileOf(*hierarchies_.NodeOf(Controller::kCpu), path, "cpu.shares");
  if (!text) return Fail(text.error());
  return Of(path, kernel::ParseCounter(*text)).map([shares](std::uint64_t now) {
    return now == shares;
  });
}

}  // namespace jettison
