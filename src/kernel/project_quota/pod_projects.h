#pragma once

#include "ports/pod_disk.h"

namespace jettison {

// Gives each emptyDir of a pod its own quota project, so that the file system counts its use, if it
// supports that. Volumes in memory, and volumes that are not empty, get none and are walked. Must
// be called before any container of the pod starts. It waits for the disk.
void AssignProjects(const PodDisk& disk);

}  // namespace jettison
