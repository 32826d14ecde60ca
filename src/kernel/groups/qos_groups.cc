#include "kernel/groups/qos_groups.h"

#include <cstdint>
#include <utility>

#include "kernel/groups/cgroup_layout.h"

namespace jettison::pod_host {

Result<void> QosGroups::SetPods(const std::vector<const PodPlan*>& pods) {
  std::int64_t burstable_milli_cpu = 0;
  for (const PodPlan* pod : pods) {
    if (pod->qos == QosClass::kBurstable) burstable_milli_cpu += pod->milli_cpu;
  }
  limits_ = {
      {.group = QosGroup(QosClass::kBurstable, driver_),
       .limits = {.cpu_shares = CpuShares(burstable_milli_cpu)}},
      {.group = QosGroup(QosClass::kBestEffort, driver_), .limits = {.cpu_shares = CpuShares(0)}}};
  Result<void> first;
  for (const auto& [group, limits] : limits_) {
    auto set = cgroups_.Create(group, limits);
    if (first) first = std::move(set);
  }
  return first;
}

}  // namespace jettison::pod_host
