#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "agent/log/log.h"
#include "core/model/cgroup_driver.h"
#include "core/units/once.h"
#include "ports/cgroups.h"

namespace jettison {

// Removes control groups of pods that are gone: a runtime makes them anew where an agent was killed
// between its order and the removal. Slices are systemd's, and are left to it.
//
// A group goes when it was without a process and belonged to no pod at two sweeps in a row. Where
// anybody else has pods beside ours nothing goes: theirs are made empty, too.
class OrphanGroups {
 public:
  // Both must outlive this.
  OrphanGroups(Cgroups& groups, CgroupDriver driver, const Log& log)
      : groups_(groups), driver_(driver), log_(log) {}

  // `known`: whether something of a pod with that UID is on the node. `shared`: so are pods of
  // others. To be called about once a minute.
  void Sweep(const std::function<bool(std::string_view uid)>& known, bool shared);

 private:
  enum class Inhabitants { kNone, kSome, kUnknown };
  [[nodiscard]] Inhabitants In(const std::string& group) const;
  void SayShared(const std::string& group);

  Cgroups& groups_;
  CgroupDriver driver_;
  const Log& log_;
  std::set<std::string> seen_;  // empty and of no pod at the last sweep
  Once say_shared_;
};

}  // namespace jettison
