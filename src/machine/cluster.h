#pragma once

#include <memory>
#include <string>

#include "agent/cluster/link/cluster_link.h"
#include "agent/log/log.h"
#include "agent/loop/steady_clock.h"
#include "core/config/agent_config.h"
#include "core/units/result.h"

namespace jettison {

// Connects to the cluster that the configuration names. It does not wait: when the API server
// becomes unreachable, or reachable again, a line is logged. `folder`: where its pods are kept. The
// error names every fault of the configured address and credentials.
[[nodiscard]] Result<std::unique_ptr<ClusterLink>> OpenCluster(const AgentConfig& config,
                                                               const std::string& folder,
                                                               const SteadyClock& clock,
                                                               const Log& log);

}  // namespace jettison
