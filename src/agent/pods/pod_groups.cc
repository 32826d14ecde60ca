#include "agent/pods/pod_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/pods/pod_kind.h"
#include "kernel/files/files.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/processes/processes.h"

namespace jettison {
namespace {

constexpr std::string_view kPodPrefix = "pod";

// The group of a process of this pod outside of the group `expected`, whatever its class and the
// driver; empty: there is none.
std::string GroupElsewhere(std::string uid, const std::string& expected, const std::string& proc) {
  const std::string folder = fmt::format("/pod{}/", uid);
  std::ranges::replace(uid, '-', '_');
  const std::string slice = fmt::format("-pod{}.slice/", uid);
  for (const std::string& pid : kernel::NamesIn(proc).value_or(std::vector<std::string>{})) {
    const auto text = kernel::ReadFile(fmt::format("{}/{}/cgroup", proc, pid));
    const std::string group = text ? MemoryGroupIn(*text) + "/" : "";
    const bool is_its =
        group.find(folder) != std::string::npos || group.find(slice) != std::string::npos;
    if (is_its && !group.starts_with(expected + "/")) return group.substr(0, group.size() - 1);
  }
  return {};
}

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

// A group that cannot be read proves nothing, and neither does one whose process has just ended.
Result<void> CheckPlaces(const std::vector<RuntimePod>& pods, const PodPlaces& places) {
  for (const RuntimePod& pod : pods) {
    const bool runs =
        std::ranges::any_of(pod.containers, [](const auto& run) { return !run.exit; });
    if (pod.foreign || !runs) continue;
    const std::string group = kernel::PodGroup(QosClassOf(pod.pod), pod.pod.uid, places.driver);
    const auto processes = places.groups.Processes(group);
    const bool is_missed =
        processes ? processes->empty() : processes.error().code == ErrorCode::kNotFound;
    if (!is_missed) continue;
    const std::string expected = places.prefix + "/" + group;
    const std::string found = GroupElsewhere(pod.pod.uid, expected, places.proc);
    if (found.empty()) continue;
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("pod {} runs in the cgroup {}, but nodeCgroup, cgroupRoot and "
                            "cgroupDriver now name {} for it. Restore the earlier settings. To "
                            "change them, first end the pods with the earlier configuration and "
                            "--stop-pods",
                            FullName(pod.pod), found, expected));
  }
  return {};
}

}  // namespace jettison
