#pragma once

#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "machine/log/log.h"
#include "ports/cgroups.h"

namespace jettison {

// The driver by which the kubelet names its groups, told by which group of all pods is there, and
// where both are, by which one has processes. The kubelet's configuration does not tell: from
// Kubernetes 1.31 on, a kubelet may take the driver from its container runtime and ignore its own
// `cgroupDriver` (KubeletCgroupDriverFromCRI). `node_groups`: those of `nodeCgroup`. kNotFound
// where neither group is there; kUnavailable where both may be the kubelet's. The log says which
// group was taken and why.
[[nodiscard]] Result<CgroupDriver> DriverInUse(const AgentConfig& config, Cgroups& node_groups,
                                               const Log& log);

// The configuration with that driver, and this thread and its later ones with the host's view of
// control groups; for an agent that is not beside a kubelet, the configuration as it is.
[[nodiscard]] Result<AgentConfig> WithDriverInUse(AgentConfig config, const Log& log);

}  // namespace jettison
