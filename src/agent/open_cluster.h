#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/cluster/link/cluster_link.h"
#include "core/config/agent_config.h"
#include "core/config/read_config.h"
#include "core/units/result.h"
#include "machine/log/log.h"
#include "machine/loop/steady_clock.h"

namespace jettison {

// The connection to a cluster.
struct OpenedCluster {
  std::unique_ptr<ClusterLink> link;
  // Reads again how the API server is reached, and adds to a configuration that was read again what
  // of that needs a restart, and as warnings what is wrong with it. It owns what it uses, and may
  // be called on any thread; it waits for the disk.
  std::function<void(ConfigReading& reading)> compare_access;
};

// Connects to the cluster that the configuration names. It does not wait: when the API server
// becomes unreachable, or reachable again, a line is logged. The error names every fault of the
// configured address and credentials.
[[nodiscard]] Result<OpenedCluster> OpenCluster(const AgentConfig& config, const SteadyClock& clock,
                                                const Log& log);

}  // namespace jettison
