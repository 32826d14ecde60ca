#pragma once

#include <string>

#include "core/config/agent_config.h"
#include "kernel/groups/layout/cgroup_layout.h"

namespace jettison {

// How the groups of pods are named. The agent's own are named by `cgroupDriver` alone. A kubelet's
// slices have `cgroupRoot` in their names, too.
[[nodiscard]] kernel::GroupNames GroupNamesOf(const AgentConfig& config);

// Where they are: the group below which the group of all pods is, from the node's own ("" or
// "/a/b").
[[nodiscard]] std::string RootBelowNode(const AgentConfig& config);
// And from the root of each hierarchy.
[[nodiscard]] std::string PodsRootOf(const AgentConfig& config);

}  // namespace jettison
