#pragma once

#include <string>
#include <vector>

#include "agent/log/log.h"
#include "core/config/node_allocatable.h"
#include "core/model/pod.h"
#include "ports/cgroups.h"

namespace jettison {

// Limits of groups that stand as long as the agent runs: of that of all pods, of those of the QoS
// classes, and of the system's own. Somebody else may change them (a service manager that is told
// to reload its units, an operator), so memory and CPU shares are compared again and again.
class EnforcedLimits {
 public:
  explicit EnforcedLimits(const Log& log) : log_(log) {}

  // Sets the limits of a group and stands by them. `must_exist`: a missing group is not made.
  // What cannot be had is logged and done without until Check.
  void Enforce(Cgroups& groups, std::string group, const CgroupLimits& limits, bool must_exist);

  // Stands by what was set already, in place of what the group was to have before. One that is gone
  // is not made.
  void StandBy(Cgroups& groups, const std::vector<GroupLimits>& set);

  // Sets what somebody else has changed once more, and logs that; what goes on failing is logged
  // when it begins to.
  void Check();

 private:
  struct Entry {
    Cgroups* groups = nullptr;
    std::string group;
    CgroupLimits limits;
    bool must_exist = false;
    bool failing = false;  // the limits are not set, and that is known
  };
  void Check(Entry& entry);
  void Set(Entry& entry);

  const Log& log_;
  std::vector<Entry> entries_;
};

// What the groups of the system are limited to: memory, tasks and CPU shares as reserved for them,
// or the shares alone. Source: pkg/kubelet/cm/node_container_manager_linux.go, getCgroupConfig.
[[nodiscard]] CgroupLimits LimitsOf(const EnforcedReservation& enforced,
                                    const ResourceList& reserved);

}  // namespace jettison
