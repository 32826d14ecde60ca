#include "agent/pods/orphan_groups.h"

#include <utility>
#include <vector>

#include "kernel/groups/layout/cgroup_layout.h"

namespace jettison {
namespace {

constexpr std::string_view kPodPrefix = "pod";

}  // namespace

OrphanGroups::Inhabitants OrphanGroups::In(const std::string& group) const {
  const auto processes = groups_.Processes(group);
  if (processes) return processes->empty() ? Inhabitants::kNone : Inhabitants::kSome;
  // The group may be left only in hierarchies other than that of memory.
  return processes.error().code == ErrorCode::kNotFound ? Inhabitants::kNone
                                                        : Inhabitants::kUnknown;
}

void OrphanGroups::Sweep(const std::function<bool(std::string_view uid)>& known, bool shared) {
  if (driver_ == CgroupDriver::kSystemd) return;
  std::vector<std::string> orphans;
  for (const QosClass qos : kQosClasses) {
    const std::string parent = kernel::QosGroup(qos, driver_);
    const auto names = groups_.Children(parent);
    for (const std::string& name : names.value_or(std::vector<std::string>{})) {
      if (!name.starts_with(kPodPrefix) || name.size() == kPodPrefix.size()) continue;
      if (known(std::string_view(name).substr(kPodPrefix.size()))) continue;
      const std::string group = parent + "/" + name;
      switch (In(group)) {
        case Inhabitants::kNone: orphans.push_back(group); break;
        case Inhabitants::kSome:
          SayShared(group);
          shared = true;
          break;
        case Inhabitants::kUnknown: break;
      }
    }
  }
  const auto seen = std::exchange(seen_, {});
  if (shared) return;
  for (const std::string& group : orphans) {
    if (!seen.contains(group)) {
      seen_.insert(group);
    } else if (const auto removed = groups_.Remove(group); removed) {
      log_.Info("the empty cgroup of a pod that is gone was removed", {{"group", group}});
    } else {
      log_.Warn("the empty cgroup of a pod that is gone cannot be removed",
                {{"group", group}, {"err", removed.error().message}});
    }
  }
}

void OrphanGroups::SayShared(const std::string& group) {
  if (!say_shared_.Take()) return;
  log_.Warn(
      "foreign pods run in the cgroup of all pods: their memory is counted as memory of pods, and "
      "the limits of the agent apply to the cgroups above them, but they are not evicted",
      {{"group", group},
       {"mend",
        "if a kubelet uses that cgroup, set cgroupRoot so that this agent's pods have a cgroup of "
        "their own, or set runtime: cri and adopt"}});
}

}  // namespace jettison
