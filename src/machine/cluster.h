#pragma once

#include <memory>

#include "agent/cluster/cluster_link.h"
#include "agent/log/log.h"
#include "agent/loop/steady_clock.h"
#include "core/config/agent_config.h"
#include "core/units/result.h"

namespace jettison {

// Connects with the cluster that the configuration names. Nothing is waited for: an API server that
// is away is a line in the log, and so is its return. Errors name every fault of what says where it
// is and who asks.
[[nodiscard]] Result<std::unique_ptr<ClusterLink>> OpenCluster(const AgentConfig& config,
                                                               const SteadyClock& clock,
                                                               const Log& log);

}  // namespace jettison
