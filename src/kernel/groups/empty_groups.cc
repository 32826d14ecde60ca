#include "kernel/groups/empty_groups.h"

namespace jettison::kernel {
namespace {

bool IsInhabited(Cgroups& cgroups, const std::string& group) {
  const auto living = cgroups.Processes(group);
  if (living && !living->empty()) return true;
  if (!living && living.error().code != ErrorCode::kNotFound) return true;  // it is not known
  const auto tasks = cgroups.ReadPids(group);
  return tasks && *tasks > 0;
}

}  // namespace

Result<void> RemoveEmptyGroups(Cgroups& cgroups, GroupEnd& group_end,
                               const std::vector<std::string>& groups) {
  Result<void> first;
  for (const std::string& group : groups) {
    if (IsInhabited(cgroups, group)) continue;
    auto removed = group_end.Remove(group);
    if (!removed && removed.error().code != ErrorCode::kNotFound && first) {
      first = Fail(removed.error().In("remove the empty group " + group));
    }
  }
  return first;
}

}  // namespace jettison::kernel
