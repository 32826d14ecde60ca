#include "agent/pods/pod_logs_collector.h"

#include <filesystem>
#include <system_error>

namespace jettison {

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
