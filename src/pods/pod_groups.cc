#include "pods/pod_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/pod.h"
#include "kernel/groups/layout/cgroup_layout.h"

namespace jettison {
namespace {

bool HoldsTasks(Cgroups& cgroups, std::string_view group, bool is_patient) {
  const auto living = cgroups.Processes(group);
  if (living && !living->empty()) return true;
  const auto tasks = cgroups.ReadPids(group);
  return tasks && *tasks > 0 && is_patient;
}

}  // namespace

std::vector<std::string> PossibleGroupsOf(std::string_view uid, CgroupDriver driver) {
  std::vector<std::string> groups;
  for (const QosClass qos : kAllOf<QosClass>) groups.push_back(kernel::PodGroup(qos, uid, driver));
  return groups;
}

bool IsInhabited(Cgroups& cgroups, std::string_view group) {
  const auto processes = cgroups.Processes(group);
  return processes ? !processes->empty() : processes.error().code != ErrorCode::kNotFound;
}

std::optional<std::string> InhabitedOf(Cgroups& cgroups, const std::vector<std::string>& groups) {
  const auto used = std::ranges::find_if(
      groups, [&](const std::string& group) { return IsInhabited(cgroups, group); });
  return used == groups.end() ? std::nullopt : std::optional(*used);
}

Result<void> RemoveGroupsOfPod(Cgroups& cgroups, GroupEnd& group_end,
                               const std::vector<std::string>& groups, bool is_patient) {
  for (const std::string& group : groups) {
    // The removal of a group with processes may wait, and nothing here may wait.
    const Result<void> removed =
        HoldsTasks(cgroups, group, is_patient)
            ? Fail(ErrorCode::kUnavailable, fmt::format("tasks are left in {}", group))
            : group_end.Remove(group);
    if (removed || removed.error().code == ErrorCode::kNotFound) continue;
    (void)group_end.Kill(group);
    return removed;
  }
  return {};
}

}  // namespace jettison
