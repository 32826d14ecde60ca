#pragma once

#include <vector>

#include "core/model/cgroup_driver.h"
#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/pod_plan.h"

namespace jettison::pod_host {

// The groups of burstable and best-effort pods, by their CPU shares: best-effort pods get what
// nobody asked for; burstable pods share what those of that class ask for together.
// Source: kubelet, qosContainerManagerImpl.setCPUCgroupConfig.
class QosGroups {
 public:
  // `cgroups` must outlive this.
  QosGroups(Cgroups& cgroups, CgroupDriver driver) : cgroups_(cgroups), driver_(driver) {}

  // These are all the pods now. Makes the groups that are missing and sets their shares; the first
  // error, when all were tried.
  [[nodiscard]] Result<void> SetPods(const std::vector<const PodPlan*>& pods);
  // What was set last; empty before SetPods.
  [[nodiscard]] const std::vector<GroupLimits>& limits() const { return limits_; }

 private:
  Cgroups& cgroups_;
  CgroupDriver driver_;
  std::vector<GroupLimits> limits_;
};

}  // namespace jettison::pod_host
