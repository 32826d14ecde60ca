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

// Creates the group of all pods and locks it for as long as the descriptor is open, because two
// agents in one group would end each other's pods, whatever their root directories are.
// kUnavailable where another agent holds the lock; the error names both. Returns an empty
// descriptor where the kernel cannot lock such a folder.
[[nodiscard]] Result<FileDescriptor> LockPodsGroup(Cgroups& groups, const PodsGroupName& group,
                                                   const std::string& root);

// The pid of the process that holds a lock (flock) on a file, from the text of /proc/locks; 0 where
// no such process is visible.
[[nodiscard]] int LockHolder(const std::string& locks, unsigned major, unsigned minor,
                             unsigned long inode);

}  // namespace jettison
