#pragma once

#include <vector>

#include "model/pod.h"
#include "pod_host/cgroup_layout.h"
#include "ports/cgroups.h"
#include "units/result.h"

namespace jettison::pod_host {

// The CPU shares of the groups of burstable and best-effort pods: best-effort pods get what nobody
// asked for; burstable pods share what `pods` of that class ask for together.
// Source: kubelet, qosContainerManagerImpl.setCPUCgroupConfig.
[[nodiscard]] std::vector<GroupLimits> QosLimits(const PodRules& rules,
                                                 const std::vector<const Pod*>& pods);

// Sets the limits of each group, making those that are missing; the first error, when all were
// tried.
[[nodiscard]] Result<void> SetLimits(Cgroups& cgroups, const std::vector<GroupLimits>& groups);

}  // namespace jettison::pod_host
