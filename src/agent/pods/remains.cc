#include "agent/pods/remains.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "pods/tree_removal.h"

namespace jettison {
namespace {

constexpr std::string_view kPodPrefix = "pod";

// Only logs below the agent's root, which is locked, are its own; elsewhere a kubelet may have
// logs.
std::optional<PodLogsPlaces> PodLogsOf(const AgentConfig& config) {
  const std::string& folder = config.logs.directory;
  const std::string below = config.root == "/" ? "/" : config.root + "/";
  if (!folder.starts_with(below)) return std::nullopt;
  return PodLogsPlaces{.folder = folder, .pods = config.root + "/pods"};
}

}  // namespace

void RemoveLogsOfGonePods(const PodLogsPlaces& places, const PodsForGc& pods) {
  const auto names = kernel::NamesIn(places.folder).value_or(std::vector<std::string>{});
  for (const std::string& name : PodLogsToRemove(names, pods)) {
    const std::string path = places.folder + "/" + name;
    // The pod's record cannot be read at the moment, or the pod is being made or removed.
    if (kernel::Exists(places.pods + "/" + name.substr(name.rfind('_') + 1))) continue;
    if (kernel::IsLogFolder(path)) (void)RemoveTree(path.c_str());
  }
}

void OrphanGroups::Sweep(const std::function<bool(std::string_view uid)>& known, bool shared) {
  if (driver_ == CgroupDriver::kSystemd) return;
  std::set<std::string> orphans;
  for (const QosClass qos : kQosClasses) {
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

Remains::Remains(const AgentConfig& config, Cgroups& groups, const PodTable& pods,
                 std::shared_ptr<DiskThread> disk, const Log& log)
    : pods_(pods),
      groups_(groups, config.cgroup_driver, log),
      owns_groups_(config.source == SourceKind::kManifests),
      logs_(PodLogsOf(config)),
      disk_(std::move(disk)) {}

void Remains::CollectLogs() {
  if (!logs_ || collecting_->exchange(true)) return;
  const DiskThread::Work collect = [places = *logs_, pods = pods_.StandingForGc(),
                                    collecting = collecting_] {
    RemoveLogsOfGonePods(places, pods);
    *collecting = false;
  };
  if (!disk_->Do(collect)) *collecting_ = false;  // never on the loop; it is tried again
}

void Remains::SweepGroups() {
  if (!owns_groups_) return;
  groups_.Sweep([this](std::string_view uid) { return pods_.IsOnNode(uid); }, pods_.AnyForeign());
}

}  // namespace jettison
