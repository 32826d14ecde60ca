#include "agent/pods/pod_logs_collector.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"

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
  if (!removed_) return;
  removed_.reset();
  const auto search = [places = places_, pods, found = found_] {
    found->Put(DoomPodLogs(places, pods));
  };
  if (disk_ && disk_->Do(search)) return;
  search();
  TakeFound();
}

void PodLogsCollector::TakeFound() {
  for (FoundPodLogs& found : found_->TakeAll()) {
    removed_ = found.removed.size();
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

}  // namespace jettison
