#pragma once

#include "cli/doctor/host_check.h"
#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "sources/containerd/foreign_facts.h"

namespace jettison {

// Which foreign pods run on the container runtime, and what the agent does with them.
[[nodiscard]] HostCheck ForeignPodsCheck(const AgentConfig& config,
                                         const Result<cri::ForeignFacts>& facts);

}  // namespace jettison
