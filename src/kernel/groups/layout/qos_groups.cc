#include "kernel/groups/layout/qos_groups.h"

#include <optional>

#include "kernel/groups/layout/cgroup_layout.h"

namespace jettison::kernel {

void QosGroups::Add(const std::vector<const PodPlan*>& pods) {
  if (pods.empty()) return;
  for (const PodPlan* const pod : pods) {
    milli_cpu_[pod->pod->uid] = pod->qos == QosClass::kBurstable ? pod->milli_cpu : 0;
  }
  SetShares();
}

void QosGroups::Leave(std::string_view uid) {
  if (const auto pod = milli_cpu_.find(uid); pod != milli_cpu_.end()) pod->second = 0;
}

void QosGroups::Remove(std::string_view uid) {
  const auto pod = milli_cpu_.find(uid);
  if (pod == milli_cpu_.end()) return;
  milli_cpu_.erase(pod);
  SetShares();
}

void QosGroups::SetShares() {
  std::int64_t burstable_milli_cpu = 0;
  for (const auto& [uid, milli_cpu] : milli_cpu_) burstable_milli_cpu += milli_cpu;
  limits_ = {
      {.group = QosGroup(QosClass::kBurstable, driver_),
       .limits = {.cpu_shares = CpuShares(burstable_milli_cpu)}},
      {.group = QosGroup(QosClass::kBestEffort, driver_), .limits = {.cpu_shares = CpuShares(0)}}};
  std::optional<Error> first;
  for (const auto& [group, limits] : limits_) {
    const auto set = cgroups_.Create(group, limits);
    if (!set && !first) first = set.error();
  }
  if (first) failed_(*first);
}

}  // namespace jettison::kernel
