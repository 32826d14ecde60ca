#pragma once

#include <memory>

#include "agent/log/log.h"
#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "machine/cgroups/host_cgroups.h"
#include "machine/cgroups/pods_group_lock.h"
#include "ports/cgroups.h"

namespace jettison {

// The control groups in which this agent, and no other one, guards the pods.
struct GuardedGroups {
  CgroupVersion version = CgroupVersion::kV1;
  std::shared_ptr<Cgroups> of_node;  // "" is the node
  std::shared_ptr<Cgroups> of_root;  // where cgroupRoot puts the pods elsewhere; else null
  PodsGroupLock lock;                // on the group of all pods
};

// Opens the groups and takes the lock on the group of all pods before anything below it is touched.
// `config` is that of WithDriverInUse. kUnavailable where another agent has the lock; errors say
// what to do.
[[nodiscard]] Result<GuardedGroups> OpenGuardedGroups(const AgentConfig& config, const Log& log);

}  // namespace jettison
