#pragma once

#include <string>
#include <vector>

#include "core/config/agent_config.h"
#include "core/model/pod.h"
#include "machine/log/log.h"
#include "ports/cgroups.h"

namespace jettison {

// Enforces limits of groups for as long as the agent runs: of the group of all pods, of the QoS
// groups, and of the system's own groups. A service manager that reloads its units, or an operator,
// may change them, so memory and CPU shares are compared repeatedly.
class EnforcedLimits {
 public:
  explicit EnforcedLimits(const Log& log) : log_(log) {}

  // Sets the limits of a group and enforces them from now on, in place of those that it had before.
  // With `must_exist` a missing group is not created. A limit that cannot be set is logged and left
  // until Check.
  void Enforce(Cgroups& groups, const std::string& group, const CgroupLimits& limits,
               bool must_exist);

  // Enforces limits that have been set already, in place of those that a group had before. A group
  // that does not exist is not created.
  void StandBy(Cgroups& groups, const std::vector<GroupLimits>& set);

  // Restores limits that somebody else has changed, and logs that. A failure that persists is
  // logged once. A limit on memory waits while much more is used, because the kernel would reclaim
  // all of that within the call.
  void Check();

  // Which limits on memory are not set yet: what is wanted, beside what is in force. Empty: none.
  [[nodiscard]] std::string Unset() const;

 private:
  struct Entry {
    Cgroups* groups = nullptr;
    std::string group;
    CgroupLimits limits;
    bool must_exist = false;
    bool failing = false;  // the limits are not set, and that is known
  };
  [[nodiscard]] Entry& EntryOf(Cgroups& groups, const std::string& group);
  void Check(Entry& entry);
  void Set(Entry& entry, Result<void> fits);

  const Log& log_;
  std::vector<Entry> entries_;
};

// What the groups of the system are limited to: memory, tasks and CPU shares as reserved for them,
// or the shares alone. Source: pkg/kubelet/cm/node_container_manager_linux.go, getCgroupConfig.
[[nodiscard]] CgroupLimits LimitsOf(const EnforcedReservation& enforced,
                                    const ResourceList& reserved);

}  // namespace jettison
