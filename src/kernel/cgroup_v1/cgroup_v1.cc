#include "kernel/cgroup_v1/cgroup_v1.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "kernel/cgroup_v1/kernel_files.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/group_processes.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/groups/open_files.h"
#include "kernel/mounts/mount_info.h"

namespace jettison {
namespace {

using cgroup_v1::Controller;
using kernel::Of;
using kernel::OpenGroup;
using kernel::WriteFile;

Result<FileDescriptor> OpenIn(const cgroup_v1::Hierarchies& hierarchies, Controller controller,
                              std::string_view path) {
  const auto node = hierarchies.NodeOf(controller);
  if (!node) return Fail(node.error());
  return OpenGroup(*node, path);
}

Result<void> SetMemory(const cgroup_v1::Hierarchies& hierarchies, std::string_view path,
                       std::uint64_t bytes) {
  const auto group = OpenIn(hierarchies, Controller::kMemory, path);
  if (!group) return Fail(group.error());
  return WriteFile(group->get(), "memory.limit_in_bytes", std::to_string(bytes));
}

Result<void> SetPids(const cgroup_v1::Hierarchies& hierarchies, std::string_view path,
                     std::int64_t max) {
  const auto group = OpenIn(hierarchies, Controller::kPids, path);
  if (!group) return Fail(group.error());
  return WriteFile(group->get(), "pids.max", max < 0 ? "max" : std::to_string(max));
}

// The kernel checks quota and period together against the group above, so one of the two orders of
// writing them may be refused.
Result<void> SetBandwidth(int group, const CgroupLimits& limits) {
  const auto period = [&]() -> Result<void> {
    if (!limits.cpu_period_us) return {};
    return WriteFile(group, "cpu.cfs_period_us", std::to_string(*limits.cpu_period_us));
  };
  const bool period_first = period().has_value();
  if (limits.cpu_quota_us) {
    auto ok = WriteFile(group, "cpu.cfs_quota_us", std::to_string(*limits.cpu_quota_us));
    if (!ok) return ok;
  }
  return period_first ? Result<void>() : period();
}

Result<void> SetCpu(const cgroup_v1::Hierarchies& hierarchies, std::string_view path,
                    const CgroupLimits& limits) {
  const auto group = OpenIn(hierarchies, Controller::kCpu, path);
  if (!group) return Fail(group.error());
  if (limits.cpu_shares) {
    auto ok = WriteFile(group->get(), "cpu.shares", std::to_string(*limits.cpu_shares));
    if (!ok) return ok;
  }
  return SetBandwidth(group->get(), limits);
}

// Writes the limits that are present.
Result<void> SetLimits(const cgroup_v1::Hierarchies& hierarchies, std::string_view path,
                       const CgroupLimits& limits) {
  if (limits.memory_bytes) {
    if (auto ok = SetMemory(hierarchies, path, *limits.memory_bytes); !ok) return ok;
  }
  // Shares divide a controller that is not there; a quota would be a promise.
  const bool is_limited = limits.cpu_quota_us || limits.cpu_period_us;
  const bool has_shares = limits.cpu_shares && hierarchies.Find(Controller::kCpu) != nullptr;
  if (is_limited || has_shares) {
    if (auto ok = SetCpu(hierarchies, path, limits); !ok) return ok;
  }
  if (limits.pids_max) {
    if (auto ok = SetPids(hierarchies, path, *limits.pids_max); !ok) return ok;
  }
  return {};
}

bool Vanished(const Error& error) {
  return error.code == ErrorCode::kNotFound;
}

// cgroup.kill (Linux 5.14) leaves no way to fork out of it. It reaches what is in the unified
// hierarchy; if that, the group or the file is missing, there is nothing to do.
Result<void> SealUnified(const cgroup_v1::Hierarchies& hierarchies, std::string_view path) {
  const cgroup_v1::Hierarchy* unified = hierarchies.Find(Controller::kUnified);
  if (unified == nullptr) return {};
  const auto group = OpenGroup(unified->node.get(), path);
  if (!group) return Vanished(group.error()) ? Result<void>() : Fail(group.error());
  auto written = WriteFile(group->get(), "cgroup.kill", "1");
  return !written && Vanished(written.error()) ? Result<void>() : written;
}

// A frozen v1 task does not act on SIGKILL before it is thawed, and a frozen group below stays
// frozen when the one above thaws.
Result<void> SetFrozen(int top, std::string_view state) {
  return kernel::VisitGroups(top, {.enter = [state](int group) -> Result<void> {
                                     auto written = WriteFile(group, "freezer.state", state);
                                     if (written || Vanished(written.error())) return {};
                                     return written;
                                   },
                                   .leave = nullptr});
}

Result<void> SetFrozen(const cgroup_v1::Hierarchies& hierarchies, std::string_view path,
                       std::string_view state) {
  const cgroup_v1::Hierarchy* freezer = hierarchies.Find(Controller::kFreezer);
  if (freezer == nullptr) return {};
  const auto group = OpenGroup(freezer->node.get(), path);
  if (!group) return Vanished(group.error()) ? Result<void>() : Fail(group.error());
  return SetFrozen(group->get(), state);
}

// A frozen pod freezes its containers. Groups above the pod are others' business.
Result<void> ThawPodOf(const cgroup_v1::Hierarchies& hierarchies, std::string_view path) {
  const cgroup_v1::Hierarchy* freezer = hierarchies.Find(Controller::kFreezer);
  if (freezer == nullptr) return {};
  const auto group = OpenGroup(freezer->node.get(), path);
  if (!group) return {};
  const auto frozen_above = kernel::ReadFile(group->get(), "freezer.parent_freezing");
  if (!frozen_above || !frozen_above->starts_with('1')) return {};
  bool in_pod = false;
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', end + 1)) {
    const std::string_view above = path.substr(0, end);
    in_pod = in_pod || kernel::IsPodName(above.substr(above.rfind('/') + 1));
    if (!in_pod) continue;
    const auto opened = OpenGroup(freezer->node.get(), above);
    if (!opened) return Vanished(opened.error()) ? Result<void>() : Fail(opened.error());
    const auto thawed = WriteFile(opened->get(), "freezer.state", "THAWED");
    if (!thawed && !Vanished(thawed.error())) return thawed;
  }
  return {};
}

// If the group cannot be sealed, the signals alone must suffice.
Result<void> KillEverything(const cgroup_v1::Hierarchies& hierarchies, std::string_view path,
                            int group) {
  const auto killed = kernel::KillBelow(group, [&] {
    (void)SealUnified(hierarchies, path);
    return SetFrozen(hierarchies, path, "FROZEN");
  });
  auto thawed = SetFrozen(hierarchies, path, "THAWED");
  if (thawed) thawed = ThawPodOf(hierarchies, path);
  if (!killed) return Fail(killed.error().In("kill"));
  if (!thawed) return Fail(thawed.error().In("thaw"));
  return {};
}

kernel::NodeDirectories DirectoriesOf(const cgroup_v1::Hierarchies& hierarchies) {
  auto unified = hierarchies.NodeOf(Controller::kUnified);
  if (!unified) {
    unified = Fail(ErrorCode::kUnavailable,
                   "groups have no pressure files without a unified hierarchy: mount -t cgroup2 "
                   "none /sys/fs/cgroup/unified");
  }
  return {.memory = hierarchies.memory(),
          .tasks = hierarchies.NodeOf(Controller::kPids),
          .unified = std::move(unified)};
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
    : KernelGroups(
          DirectoriesOf(hierarchies),
          {.memory = {std::begin(cgroup_v1::kMemoryFiles), std::end(cgroup_v1::kMemoryFiles)},
           .oom_kills = "memory.oom_control"},
          options.remove_patience),
      hierarchies_(std::move(hierarchies)) {}

Result<void> CgroupV1::Create(std::string_view path, const CgroupLimits& limits) {
  if (auto ok = kernel::CheckPath(path); !ok) return ok;
  for (const cgroup_v1::Hierarchy& hierarchy : hierarchies_.all()) {
    auto made = kernel::MakeGroups(hierarchy.node.get(), path);
    if (!made) {
      return Fail(made.error().In(
          fmt::format("make group \"{}\" ({})", path, NameOf(hierarchy.controllers.front()))));
    }
  }
  return Of(path, SetLimits(hierarchies_, path, limits));
}

std::vector<kernel::GroupPlace> CgroupV1::PlacesOf(std::string_view path) const {
  std::vector<kernel::GroupPlace> places;
  for (const cgroup_v1::Hierarchy& hierarchy : hierarchies_.all()) {
    places.push_back({.root = hierarchy.node.get(),
                      .path = std::string(path),
                      .hierarchy = NameOf(hierarchy.controllers.front())});
  }
  const std::string& node = hierarchies_.node_group();
  const std::string from_root =
      node.empty() || path.empty() ? node + std::string(path) : fmt::format("{}/{}", node, path);
  for (const cgroup_v1::ForeignHierarchy& hierarchy : hierarchies_.foreign()) {
    places.push_back({.root = hierarchy.root.get(),
                      .path = from_root,
                      .hierarchy = hierarchy.mount_point,
                      .is_own = false});
  }
  return places;
}

Result<void> CgroupV1::KillAll(std::string_view path, int group) {
  return KillEverything(hierarchies_, path, group);
}

Result<LimitedMemory> CgroupV1::ReadLimitedMemory(std::string_view path) {
  return Of(path, memory_files().Read(path, cgroup_v1::ReadMemoryFiles));
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
