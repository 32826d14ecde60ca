#pragma once

#include <vector>

#include "model/pod.h"
#include "pod_host/cgroup_layout.h"
#include "ports/cgroups.h"
#include "units/result.h"

namespace jettison::pod_host {

// Sets the CPU shares of the groups of burstable and best-effort pods, making the groups where they
// are missing: best-effort pods get what nobody asked for; burstable pods share what `pods` of that
// class ask for together. Source: kubelet, qosContainerManagerImpl.setCPUCgroupConfig.
[[nodiscard]] Result<void> UpdateQosGroups(Cgroups& cgroups, const PodRules& rules,
                                           const std::vector<const Pod*>& pods);

}  // namespace jettison::pod_host
