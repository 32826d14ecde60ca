#pragma once

#include "core/model/cgroup_driver.h"
#include "kernel/files/paths.h"
#include "kernel/readiness/disk_work.h"
#include "pods/run_edges.h"

namespace jettison {

// What the life of an own pod needs, whatever runs it. One instance for each runtime.
struct PodEdges : RunEdges {
  kernel::Paths paths;
  CgroupDriver cgroup_driver;
  kernel::PathPatience path_patience;
  // For files of this agent.
  kernel::DiskWork disk;
};

}  // namespace jettison
