#include "agent/pods/remains.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/groups/layout/cgroup_layout.h"

namespace jettison {
namespace {

void Doom(const PodLogsPlaces& places, const std::string& name, FoundPodLogs& found) {
  const std::string path = places.folder + "/" + name;
  std::string doomed = places.folder + "/" + std::string(kernel::kDoomedPrefix) + name;
  if (std::rename(path.c_str(), doomed.c_str()) == 0) {
    found.doomed.push_back(std::move(doomed));
    found.removed.push_back(name);
    return;
  }
  // The renamed folder of an earlier removal may still be there; this one is removed the next time.
  if (errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST) return;
  found.failures.push_back({.path = path, .err = std::generic_category().message(errno)});
}

constexpr std::string_view kPodPrefix = "pod";

// Only logs below the agent's root, which is locked, are its own; elsewhere a kubelet may have
// logs.
std::unique_ptr<PodLogsCollector> PodLogsOf(const AgentConfig& config,
                                            std::shared_ptr<DiskThread> disk, const Log& log) {
  const std::string& folder = config.logs.directory;
  const std::string below = config.root == "/" ? "/" : config.root + "/";
  if (!folder.starts_with(below)) return nullptr;
  return std::make_unique<PodLogsCollector>(
      PodLogsPlaces{.folder = folder, .pods = config.root + "/pods"}, std::move(disk), log);
}

}  // namespace

FoundPodLogs DoomPodLogs(const PodLogsPlaces& places, const PodsForGc& pods) {
  FoundPodLogs found;
  std::vector<std::string> names;
  for (std::string& name : kernel::NamesIn(places.folder).value_or(std::vector<std::string>{})) {
    if (name.starts_with(kernel::kDoomedPrefix)) {
      found.doomed.push_back(places.folder + "/" + name);
    } else {
      names.push_back(std::move(name));
    }
  }
  for (const std::string& name : PodLogsToRemove(names, pods)) {
    // The pod's record cannot be read at the moment, or the pod is being made or removed.
    if (kernel::Exists(places.pods + "/" + name.substr(name.rfind('_') + 1))) continue;
    if (kernel::IsLogFolder(places.folder + "/" + name)) {
      Doom(places, name, found);
    } else {
      found.strange.push_back(name);
    }
  }
  return found;
}

void PodLogsCollector::Collect(const PodsForGc& pods) {
  if (std::exchange(is_searching_, true)) return;
  const auto search = [places = places_, pods, found = found_] {
    found->Put(DoomPodLogs(places, pods));
  };
  if (disk_ && disk_->Do(search)) return;
  search();
  TakeFound();
}

void PodLogsCollector::TakeFound() {
  for (FoundPodLogs& found : found_->TakeAll()) {
    is_searching_ = false;
    LogFound(found);
    if (found.doomed.empty()) continue;
    deletions_.Do([doomed = std::move(found.doomed)] {
      std::error_code ignored;  // what is left is found the next time
      for (const std::string& path : doomed) std::filesystem::remove_all(path, ignored);
    });
  }
}

void PodLogsCollector::LogFound(const FoundPodLogs& found) {
  for (const auto& [path, err] : found.failures) {
    log_.Warn("container garbage collector: logs of a pod that is gone cannot be removed",
              {{"path", path}, {"err", err}});
  }
  for (const std::string& name : found.strange) {
    if (!left_.insert(name).second) continue;
    log_.Info("container garbage collector: a folder that is no pod's logs stays",
              {{"path", places_.folder + "/" + name}});
  }
  for (const std::string& name : found.removed) {
    log_.Info("container garbage collector: removed logs of a pod that is gone", {{"name", name}});
  }
}

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

Remains::Remains(const AgentConfig& config, Cgroups& groups, const PodTable& pods,
                 std::shared_ptr<DiskThread> disk, const Log& log)
    : pods_(pods),
      groups_(groups, config.cgroup_driver, log),
      owns_groups_(config.source == SourceKind::kManifests),
      logs_(PodLogsOf(config, std::move(disk), log)) {}

void Remains::CollectLogs() {
  if (logs_) logs_->Collect(pods_.StandingForGc());
}

void Remains::SweepGroups() {
  if (!owns_groups_) return;
  groups_.Sweep([this](std::string_view uid) { return pods_.IsOnNode(uid); }, pods_.AnyForeign());
}

}  // namespace jettison
