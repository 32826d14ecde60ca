#pragma once

#include "cli/doctor/doctor_kubernetes.h"
#include "cli/doctor/host_check.h"

namespace jettison {

// Whether the kubelet of the node tells its thresholds, and ours lie above them. Its configuration
// is read where the agent's says, else asked for through the API server.
[[nodiscard]] HostCheck CheckKubeletThresholds(const ClusterQuestion& question);

}  // namespace jettison
