#pragma once

#include <memory>
#include <string>

#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "machine/cgroups/host_cgroups.h"
#include "machine/log/log.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

// The control groups in which this agent, and no other one, guards the pods.
struct GuardedGroups {
  CgroupVersion version = CgroupVersion::kV1;
  std::shared_ptr<Cgroups> of_node;  // "" is the node
  std::shared_ptr<Cgroups> of_root;  // where cgroupRoot puts the pods elsewhere; else null
  FileDescriptor lock;               // on the group of all pods, held as long as it is open
};

struct PodsGroupName {
  std::string path;   // from the groups' own
  std::string shown;  // as people know it
};

// Creates the group of all pods and locks it, because two agents in one group would end each
// other's pods, whatever their root directories are. The lock is on a file that only root can open;
// where the kernel has none (cgroup v2 before Linux 5.14), on the folder, which every user can
// lock. kUnavailable where another process has the lock; the error names both.
[[nodiscard]] Result<FileDescriptor> LockPodsGroup(Cgroups& groups, const PodsGroupName& group,
                                                   const std::string& root);

// Opens the groups and takes the lock on the group of all pods before anything below it is touched.
// `config` is that of WithDriverInUse. kUnavailable where another agent has the lock; errors say
// what to do.
[[nodiscard]] Result<GuardedGroups> OpenGuardedGroups(const AgentConfig& config, const Log& log);

}  // namespace jettison
