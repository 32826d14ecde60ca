#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "agent/pods/pod_table.h"
#include "core/config/agent_config.h"
#include "core/decide/container_gc.h"
#include "ports/disk_thread.h"

namespace jettison {

// Where the logs of pods are.
struct PodLogsPlaces {
  std::string folder;  // has a folder for each pod, and belongs to this agent alone
  std::string pods;    // nothing is deleted of a pod that has a folder in it
};

// Deletes log folders whose pods are gone. Normally a pod's logs are removed with it; the folders
// that are found here are left from a removal that the end of an agent interrupted. A folder with
// anything but logs stays. What cannot be deleted is tried again the next time.
void RemoveLogsOfGonePods(const PodLogsPlaces& places, const PodsForGc& pods);

// Removes the logs that are left of pods that are gone.
class Remains {
 public:
  // Everything must outlive this. `disk` makes the folders of pods, too, so that a search for logs
  // comes before those of a pod that is created later, or finds them; null: the caller searches.
  Remains(const AgentConfig& config, const PodTable& pods, std::shared_ptr<DiskThread> disk);

  // Does nothing while an earlier collection is not over, nor where others may have their logs.
  void CollectLogs();

 private:
  const PodTable& pods_;
  std::optional<PodLogsPlaces> logs_;  // absent: others may have theirs there
  std::shared_ptr<DiskThread> disk_;
  std::shared_ptr<std::atomic<bool>> collecting_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace jettison
