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
  constexpr std::array<std::string_view, kControllers.size()> kNames = {
      "memory", "cpu", "cpuacct", "pids", "freezer", "unified"};
  return kNames[static_cast<std::size_t>(controller)];
}

MountPoints FindHierarchies(const std::vector<Mount>& mounts) {
  MountPoints found;
  std::array<bool, kControllers.size()> root_found{};
  for (const Mount& mount : mounts) {
    if (IsForeign(mount)) found.others.push_back(mount.point);
    for (std::size_t i = 0; i < kControllers.size(); ++i) {
      if (!Carries(mount, kControllers[i])) continue;
      if (root_found[i] || (found.points[i] && !mount.IsOfRoot())) continue;
      found.points[i] = mount.point;
      root_found[i] = mount.IsOfRoot();
    }
  }
  return found;
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
  opened.node_group_ = node_group;
  for (const Controller controller : kControllers) {
    const auto& point = points[controller];
    if (!point) continue;
    const auto together = std::ranges::find(opened.all_, *point, &Hierarchy::mount_point);
    if (together != opened.all_.end()) {
      together->controllers.push_back(controller);
      continue;
    }
    auto node = EnterNode(*point, node_group, controller == Controller::kMemory);
    if (!node) return Fail(node.error());
    opened.all_.push_back({*point, {controller}, std::move(*node)});
  }
  for (const std::string& point : points.others) {
    // A hierarchy that cannot be entered has no group that could be removed.
    if (auto root = kernel::OpenMountPoint(point))
      opened.all_.push_back({point, {}, std::move(*root)});
  }
  return opened;
}

const Hierarchy* Hierarchies::Find(Controller controller) const {
  const auto found = std::ranges::find_if(all_, [&](const Hierarchy& hierarchy) {
    return std::ranges::find(hierarchy.controllers, controller) != hierarchy.controllers.end();
  });
  return found == all_.end() ? nullptr : &*found;
}

Result<int> Hierarchies::NodeOf(Controller controller) const {
  if (const Hierarchy* hierarchy = Find(controller)) return hierarchy->directory.get();
  return Fail(ErrorCode::kUnavailable,
              fmt::format("the {} controller is not mounted as cgroup v1", NameOf(controller)));
}

}  // namespace jettison::cgroup_v1
