#pragma once

#include <string>
#include <vector>

#include "core/model/cgroup_driver.h"
#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/container_runtime.h"

namespace jettison {

// Where pods are expected.
struct PodPlaces {
  Cgroups& groups;  // the pods' group is below it
  CgroupDriver driver = CgroupDriver::kCgroupfs;
  std::string prefix;  // what leads to `groups` from the root of a hierarchy: "" or "/a/b"
  std::string proc = "/proc";
};

// Whether the pods that were found run in the control groups that belong to them. They do not where
// nodeCgroup, cgroupRoot or cgroupDriver were changed while they ran: then their use would be read,
// and their end be sought, where they are not. The error names one and says what to do.
[[nodiscard]] Result<void> CheckPlaces(const std::vector<RuntimePod>& pods,
                                       const PodPlaces& places);

}  // namespace jettison
