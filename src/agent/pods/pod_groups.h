#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/choices.h"
#include "core/units/once.h"
#include "core/units/result.h"
#include "machine/log/log.h"
#include "ports/cgroups.h"
#include "ports/container_runtime.h"

namespace jettison {

// Removes control groups of pods that are gone. They are left if a runtime creates them again after
// the agent was killed between its command and the removal. Slices belong to systemd and are not
// removed.
//
// A group is removed if it had no process and belonged to no pod in two sweeps in a row. While
// there are foreign pods, no group is removed, because their groups are empty at first, too.
class OrphanGroups {
 public:
  // Both must outlive this.
  OrphanGroups(Cgroups& groups, CgroupDriver driver, const Log& log)
      : groups_(groups), driver_(driver), log_(log) {}

  // `known`: whether something of a pod with that UID is on the node. `shared`: whether there are
  // foreign pods. To be called about once a minute, and not before the runtime has listed its pods.
  void Sweep(const std::function<bool(std::string_view uid)>& known, bool shared);

 private:
  Cgroups& groups_;
  CgroupDriver driver_;
  const Log& log_;
  std::set<std::string> seen_;  // empty and of no pod at the last sweep
  Once say_shared_;
};

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
