#pragma once

#include "core/config/agent_config.h"
#include "core/model/pod.h"
#include "kernel/groups/cgroup_layout.h"
#include "ports/pod_plan.h"

namespace jettison {

// What is configured of the limits of all pods.
[[nodiscard]] kernel::LimitSettings LimitSettingsOf(const AgentConfig& config);

// What a pod needs of whoever runs it.
[[nodiscard]] PodPlan PlanOf(const Pod& pod, const kernel::LimitSettings& settings);

}  // namespace jettison
