#include "agent/pods/orphan_groups.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/groups/layout/cgroup_layout.h"

namespace jettison {
namespace {

constexpr std::string_view kPodPrefix = "pod";

}  // namespace

void OrphanGroups::Sweep(const std::function<bool(std::string_view uid)>& known, bool shared) {
  if (driver_ == CgroupDriver::kSystemd) return;
  std::set<std::string> orphans;
  for (const QosClass qos : kAllOf<QosClass>) {
    const std::string parent = kernel::QosGroup(qos, driver_);
    const auto names = groups_.Children(parent);
    for (const std::string& name : names.value_or(std::vector<std::string>{})) {
      if (!name.starts_with(kPodPrefix) || name.size() == kPodPrefix.size()) continue;
      if (known(std::string_view(name).substr(kPodPrefix.size()))) continue;
      const std::string group = parent + "/" + name;
      const auto processes = groups_.Processes(group);
      // The group may be left only in hierarchies other than that of memory.
      const bool is_empty =
          processes ? processes->empty() : processes.error().code == ErrorCode::kNotFound;
      if (is_empty) orphans.insert(group);
      if (is_empty || !processes) continue;
      shared = true;
      if (!say_shared_.Take()) continue;
      log_.Warn(
          "foreign pods run in the cgroup of all pods: their memory is counted as memory of pods, "
          "and the limits of the agent apply to the cgroups above them, but they are not evicted",
          {{"group", group},
           {"mend",
            "if a kubelet uses that cgroup, set cgroupRoot so that this agent's pods have a cgroup "
            "of their own, or set runtime: cri and adopt"}});
    }
  }
  const auto seen = std::exchange(seen_, shared ? std::set<std::string>() : orphans);
  for (const std::string& group : seen) {
    if (!seen_.erase(group)) continue;
    if (const auto removed = groups_.Remove(group); removed) {
      log_.Info("the empty cgroup of a pod that is gone was removed", {{"group", group}});
    } else {
      log_.Warn("the empty cgroup of a pod that is gone cannot be removed",
                {{"group", group}, {"err", removed.error().message}});
    }
  }
}

}  // namespace jettison
