#include "pod_host/qos_groups.h"

#include <cstdint>
#include <utility>

namespace jettison::pod_host {

std::vector<GroupLimits> QosLimits(const PodRules& rules, const std::vector<const Pod*>& pods) {
  std::int64_t burstable_milli_cpu = 0;
  for (const Pod* pod : pods) {
    if (rules.qos_class(*pod) != QosClass::kBurstable) continue;
    burstable_milli_cpu += rules.request(*pod, "cpu").MilliValue();
  }
  return {{.group = QosGroup(QosClass::kBurstable, rules.cgroup_driver),
           .limits = {.cpu_shares = CpuShares(burstable_milli_cpu)}},
          {.group = QosGroup(QosClass::kBestEffort, rules.cgroup_driver),
           .limits = {.cpu_shares = CpuShares(0)}}};
}

Result<void> SetLimits(Cgroups& cgroups, const std::vector<GroupLimits>& groups) {
  Result<void> first;
  for (const auto& [group, limits] : groups) {
    auto set = cgroups.Create(group, limits);
    if (first) first = std::move(set);
  }
  return first;
}

}  // namespace jettison::pod_host
