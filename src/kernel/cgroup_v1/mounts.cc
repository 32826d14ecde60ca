#include "kernel/cgroup_v1/mounts.h"

#include <algorithm>

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

}  // namespace jettison::cgroup_v1
