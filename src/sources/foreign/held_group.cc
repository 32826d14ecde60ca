#include "sources/foreign/held_group.h"

#include <utility>

#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/processes/processes.h"

namespace jettison {

HeldGroup::HeldGroup(RunDependencies& dependencies, std::string group, std::set<std::string> known,
                     OnDown on_down)
    : dependencies_(dependencies),
      group_(std::move(group)),
      known_(std::move(known)),
      on_down_(std::move(on_down)),
      complaints_(dependencies) {}

// The groups are listed after the limit has been set: a runtime that makes one later fails to fork
// in it.
HeldGroup::State HeldGroup::KeepDown() {
  const auto there = dependencies_.cgroups.Children(group_);
  // A group that is gone must not be made again.
  if (!there) return there.error().code == ErrorCode::kNotFound ? State::kGone : State::kToHold;
  const auto limited = dependencies_.cgroups.Create(group_, {.pids_max = 0});
  Note("hold the group " + group_, limited);
  const bool is_new = KillNew();
  return limited && !is_new ? State::kHeld : State::kToHold;
}

bool HeldGroup::KillNew() {
  const auto children = dependencies_.cgroups.Children(group_);
  if (!children) return true;
  bool is_new = false;
  for (const std::string& name : *children) {
    const std::string group = kernel::ContainerGroup(group_, name);
    if (known_.contains(group) || IsGroupOfConmon(name)) continue;
    is_new = true;
    Note("end what was started again in " + group, dependencies_.group_end.Kill(group));
  }
  return is_new;
}

void HeldGroup::Note(std::string_view what, const Result<void>& result) {
  if (result || result.error().code == ErrorCode::kNotFound) return;
  complaints_.Say(group_, result.error().In(what).message);
}

}  // namespace jettison
