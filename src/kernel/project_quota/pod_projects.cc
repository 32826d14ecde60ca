#include "kernel/project_quota/pod_projects.h"

#include "kernel/project_quota/project_quota.h"

namespace jettison {

// Writable layers get no project: overlay moves files between two of its own folders, which is not
// allowed between two projects.
void AssignProjects(const PodDisk& disk) {
  for (const PodDisk::LocalVolume& volume : disk.empty_dirs) {
    // If this fails, a walk gives the same figure.
    if (!volume.memory) static_cast<void>(AssignProject(volume.path));
  }
}

}  // namespace jettison
