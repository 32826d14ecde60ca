#include "agent/pods/pod_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "core/pods/pod_kind.h"
#include "kernel/files/files.h"
#include "kernel/groups/layout/cgroup_layout.h"

namespace jettison {
namespace {

constexpr CgroupDriver kDrivers[] = {CgroupDriver::kCgroupfs, CgroupDriver::kSystemd};

struct Missed {
  const Pod* pod;
  std::string group;  // where its processes should be
};

bool Runs(const RuntimePod& pod) {
  return std::ranges::any_of(pod.containers, [](const auto& record) { return !record.exit; });
}

// The pods without a running process in their group. A group that cannot be read proves nothing.
std::vector<Missed> MissedPods(const std::vector<RuntimePod>& pods, const PodPlaces& places) {
  std::vector<Missed> missed;
  for (const RuntimePod& pod : pods) {
    if (pod.foreign || !Runs(pod)) continue;
    std::string group = kernel::PodGroup(QosClassOf(pod.pod), pod.pod.uid, places.driver);
    const auto processes = places.groups.Processes(group);
    const bool none =
        processes ? processes->empty() : processes.error().code == ErrorCode::kNotFound;
    if (none) missed.push_back({.pod = &pod.pod, .group = std::move(group)});
  }
  return missed;
}

// The group in which its processes should be, from the root of a hierarchy. A process that has
// ended still names this group, but the group no longer lists it.
std::string PlaceOf(const Missed& missed, const PodPlaces& places) {
  return fmt::format("{}/{}", places.prefix, missed.group);
}

// The pod's group on this path, whatever its class and the driver; empty: it is not there.
std::string_view PodGroupOn(std::string_view path, const std::string& uid) {
  for (const QosClass qos : kAllOf<QosClass>) {
    for (const CgroupDriver driver : kDrivers) {
      const std::string name = "/" + kernel::UnitName(kernel::PodGroup(qos, uid, driver));
      const std::size_t at = path.find(name);
      if (at == std::string_view::npos) continue;
      const std::size_t end = at + name.size();
      if (end == path.size() || path[end] == '/') return path.substr(0, end);
    }
  }
  return {};
}

// Calls back with each group, from the root of its hierarchy, in which a process is.
template <typename Visit>
void ForEachGroupInUse(const std::string& proc, Visit visit) {
  for (const std::string& pid : kernel::NamesIn(proc).value_or(std::vector<std::string>{})) {
    if (!std::ranges::all_of(pid, [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    const auto text = kernel::ReadFile(fmt::format("{}/{}/cgroup", proc, pid));
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      const std::size_t path = line.find(":/");
      if (path != std::string_view::npos) visit(line.substr(path + 1));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

}  // namespace

Result<void> CheckPlaces(const std::vector<RuntimePod>& pods, const PodPlaces& places) {
  const std::vector<Missed> missed = MissedPods(pods, places);
  if (missed.empty()) return {};
  std::map<std::size_t, std::string> found;
  ForEachGroupInUse(places.proc, [&](std::string_view path) {
    for (std::size_t i = 0; i < missed.size(); ++i) {
      const std::string_view group = PodGroupOn(path, missed[i].pod->uid);
      if (!group.empty() && group != PlaceOf(missed[i], places)) found.emplace(i, group);
    }
  });
  if (found.empty()) return {};  // the process has ended since
  const auto& [which, group] = *found.begin();
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("pod {} ({} in all) runs in the cgroup {}, but nodeCgroup, cgroupRoot and "
                  "cgroupDriver now name {} for it. Restore the earlier settings. To change them, "
                  "first end the pods with the earlier configuration and --stop-pods",
                  FullName(*missed[which].pod), found.size(), group,
                  PlaceOf(missed[which], places)));
}

}  // namespace jettison
