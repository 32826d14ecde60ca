#pragma once

#include "cli/host_check.h"
#include "config/agent_config.h"
#include "platform/cri/foreign_facts.h"
#include "units/result.h"

namespace jettison {

// What others run on the container runtime, and what is to become of it.
[[nodiscard]] HostCheck ForeignPodsCheck(const AgentConfig& config,
                                         const Result<cri::ForeignFacts>& facts);

}  // namespace jettison
