#include "pod_host/qos_groups.h"

namespace jettison::pod_host {

Result<void> UpdateQosGroups(Cgroups& cgroups, const PodRules& rules,
                             const std::vector<const Pod*>& pods) {
  std::int64_t burstable_milli_cpu = 0;
  for (const Pod* pod : pods) {
    if (rules.qos_class(*pod) != QosClass::kBurstable) continue;
    burstable_milli_cpu += rules.request(*pod, "cpu").MilliValue();
  }
  const auto burstable = cgroups.Create(QosGroup(QosClass::kBurstable, rules.cgroup_driver),
                                        {.cpu_shares = CpuShares(burstable_milli_cpu)});
  const auto best_effort = cgroups.Create(QosGroup(QosClass::kBestEffort, rules.cgroup_driver),
                                          {.cpu_shares = CpuShares(0)});
  return burstable ? best_effort : burstable;
}

}  // namespace jettison::pod_host
