#pragma once

#include "cli/doctor/host_check.h"
#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "machine/pods/guard_trial.h"

namespace jettison {

// Which foreign pods on the container runtime can be guarded, and what the agent does with them.
[[nodiscard]] HostCheck ForeignPodsCheck(const AgentConfig& config,
                                         const Result<GuardTrial>& trial);

}  // namespace jettison
