#include "kernel/cgroup_v1/hierarchies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/groups/group_files.h"
#include "kernel/groups/kernel_groups.h"

namespace jettison::cgroup_v1 {
namespace {

using kernel::Mount;

bool Carries(const Mount& mount, Controller controller) {
  if (controller == Controller::kUnified) return mount.type == "cgroup2";
  return mount.type == "cgroup" && mount.HasOption(NameOf(controller));
}

// A hierarchy in which only others make groups.
bool IsForeign(const Mount& mount) {
  return mount.type == "cgroup" && mount.IsOfRoot() &&
         std::ranges::none_of(kControllers, [&](Controller c) { return Carries(mount, c); });
}

// Controllers that are mounted together share one mount point and therefore one Hierarchy.
std::vector<std::pair<std::string, Hierarchy>> GroupByMountPoint(const MountPoints& points) {
  std::vector<std::pair<std::string, Hierarchy>> grouped;
  for (const Controller controller : kControllers) {
    if (!points[controller]) continue;
    auto same = std::find_if(grouped.begin(), grouped.end(),
                             [&](const auto& entry) { return entry.first == *points[controller]; });
    if (same == grouped.end()) same = grouped.insert(same, {*points[controller], Hierarchy{}});
    same->second.controllers.push_back(controller);
  }
  return grouped;
}

Result<FileDescriptor> EnterNode(const std::string& point, std::string_view node_group,
                                 bool must_exist) {
  const auto root = kernel::OpenMountPoint(point);
  if (!root) return Fail(root.error());
  if (!must_exist) {
    const auto made = kernel::MakeGroups(root->get(), node_group);
    if (!made) return Fail(made.error().In(point));
  }
  return kernel::OpenNode(root->get(), point, node_group);
}

}  // namespace

std::string_view NameOf(Controller controller) {
  switch (controller) {
    case Controller::kMemory: return "memory";
    case Controller::kCpu: return "cpu";
    case Controller::kCpuacct: return "cpuacct";
    case Controller::kPids: return "pids";
    case Controller::kFreezer: return "freezer";
    case Controller::kUnified: return "unified";
  }
  return "";
}

MountPoints FindHierarchies(const std::vector<Mount>& mounts) {
  MountPoints points;
  std::array<bool, kControllers.size()> root_found{};
  for (const Mount& mount : mounts) {
    if (IsForeign(mount)) points.others.push_back(mount.point);
    for (const Controller controller : kControllers) {
      if (!Carries(mount, controller)) continue;
      bool& found = root_found[static_cast<std::size_t>(controller)];
      if (found || (points[controller] && !mount.IsOfRoot())) continue;
      points[controller] = mount.point;
      found = mount.IsOfRoot();
    }
  }
  return points;
}

Result<Hierarchies> Hierarchies::Open(const MountPoints& points, std::string_view node_group) {
  if (auto ok = kernel::CheckPath(node_group); !ok) return Fail(ok.error().In("nodeCgroup"));
  if (!points[Controller::kMemory]) {
    return Fail(ErrorCode::kUnavailable,
                "no cgroup v1 memory controller is mounted: boot with "
                "systemd.unified_cgroup_hierarchy=0 (and cgroup_enable=memory), or mount it with "
                "mount -t cgroup -o memory cgroup /sys/fs/cgroup/memory");
  }
  Hierarchies opened;
  for (auto& [point, hierarchy] : GroupByMountPoint(points)) {
    const bool is_memory = point == *points[Controller::kMemory];
    auto node = EnterNode(point, node_group, is_memory);
    if (!node) return Fail(node.error());
    if (is_memory) opened.memory_ = node->get();
    hierarchy.node = std::move(*node);
    opened.all_.push_back(std::move(hierarchy));
  }
  opened.node_group_ = node_group;
  for (const std::string& point : points.others) {
    // A hierarchy that cannot be entered has no group that could be removed.
    if (auto root = kernel::OpenMountPoint(point))
      opened.foreign_.push_back({point, std::move(*root)});
  }
  return opened;
}

const Hierarchy* Hierarchies::Find(Controller controller) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Hierarchy& hierarchy) {
    const auto& list = hierarchy.controllers;
    return std::find(list.begin(), list.end(), controller) != list.end();
  });
  return found == all_.end() ? nullptr : &*found;
}

Result<int> Hierarchies::NodeOf(Controller controller) const {
  if (const Hierarchy* hierarchy = Find(controller)) return hierarchy->node.get();
  return Fail(ErrorCode::kUnavailable,
              fmt::format("the {} controller is not mounted as cgroup v1", NameOf(controller)));
}

}  // namespace jettison::cgroup_v1
