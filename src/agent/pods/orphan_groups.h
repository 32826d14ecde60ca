#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "core/model/choices.h"
#include "core/units/once.h"
#include "machine/log/log.h"
#include "ports/cgroups.h"

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

}  // namespace jettison
