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

// Makes the group of all pods and locks it for as long as the descriptor is open: two agents in one
// group, whatever their roots, would each end the other's pods. kUnavailable where another one has
// it: the error names both. An empty descriptor where the kernel has no lock for such a folder.
[[nodiscard]] Result<FileDescriptor> LockPodsGroup(Cgroups& groups, const PodsGroupName& group,
                                                   const std::string& root);

// Who holds a lock (flock) on a file, by the text of /proc/locks; 0: nobody that can be seen.
[[nodiscard]] int LockHolder(const std::string& locks, unsigned major, unsigned minor,
                             unsigned long inode);

}  // namespace jettison
