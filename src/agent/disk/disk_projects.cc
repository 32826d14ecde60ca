#include "agent/disk/disk_projects.h"

#include "kernel/project_quota/project_quota.h"

namespace jettison {

// Writable layers are not counted like that: overlay moves files between two folders of its own,
// which two projects would forbid.
void AssignProjects(const PodDisk& disk) {
  for (const PodDisk::LocalVolume& volume : disk.empty_dirs) {
    // Where it cannot be done a walk tells the same.
    if (!volume.memory) static_cast<void>(AssignProject(volume.path));
  }
}

}  // namespace jettison
