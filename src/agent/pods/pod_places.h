#pragma once

#include <string>
#include <vector>

#include "core/model/choices.h"
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

// Checks that the pods that were found run in the control groups that the configuration gives them.
// They do not if nodeCgroup, cgroupRoot or cgroupDriver was changed while they ran; their usage
// could not be read then, and they could not be killed. The error names one pod and says what to
// do.
[[nodiscard]] Result<void> CheckPlaces(const std::vector<RuntimePod>& pods,
                                       const PodPlaces& places);

}  // namespace jettison
