#pragma once

#include <string>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

struct PodsGroupName {
  std::string path;   // from the groups' own
  std::string shown;  // as people know it
};

// Held as long as the descriptors are open.
struct PodsGroupLock {
  FileDescriptor file;    // of the group, which only root can open; empty: the kernel has none
  FileDescriptor folder;  // as earlier agents lock it; empty: not locked
  std::string warning;    // why another agent could start in the group; empty: none can
};

// Creates the group of all pods and locks it, because two agents in one group would end each
// other's pods, whatever their root directories are. kUnavailable where another agent holds a lock;
// the error names both. A lock on the folder that certainly is no agent's does not count: every
// user can take one.
[[nodiscard]] Result<PodsGroupLock> LockPodsGroup(Cgroups& groups, const PodsGroupName& group,
                                                  const std::string& root);

}  // namespace jettison
