#pragma once

#include <memory>

#include "core/config/agent_config.h"
#include "core/model/pod.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "ports/pod_plan.h"

namespace jettison {

// The configured settings for the limits of all pods.
[[nodiscard]] kernel::LimitSettings LimitSettingsOf(const AgentConfig& config);

// The pod's class and limits, which a runtime needs to run it.
[[nodiscard]] PodPlan PlanOf(std::shared_ptr<const Pod> pod, const kernel::LimitSettings& settings);

}  // namespace jettison
