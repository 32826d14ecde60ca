#pragma once

#include "ports/pod_disk.h"

namespace jettison {

// Has the file system count what a pod writes into its emptyDirs, where it can (project quota):
// each gets a project of its own while it is still empty. Those in memory and those that hold
// something already are left to be walked. Call it before any container of the pod starts.
void AssignProjects(const PodDisk& disk);

}  // namespace jettison
