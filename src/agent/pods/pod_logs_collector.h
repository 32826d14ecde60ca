#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "agent/log/log.h"
#include "agent/loop/background_thread.h"
#include "core/decide/container_gc.h"

namespace jettison {

// Deletes log folders whose pods are gone. Normally a pod's logs are removed with it; the folders
// that are found here are left from a removal that the end of an agent interrupted.
class PodLogsCollector {
 public:
  // `folder` holds a folder a pod and belongs to this agent alone; one that has anything but logs
  // stays. Of a pod that has a folder in `pods` nothing is deleted. `log` must outlive this.
  PodLogsCollector(std::string folder, std::string pods, const Log& log)
      : folder_(std::move(folder)), pods_(std::move(pods)), log_(log) {}

  // Returns for how many pods the logs are deleted. The folders are renamed when this returns, and
  // deleted on another thread; if that is interrupted, a later collection deletes them.
  std::size_t Collect(const PodsForGc& pods);

 private:
  // Renames the folder to a name that no pod's folder has. Returns whether that succeeded.
  [[nodiscard]] bool Doom(const std::string& name) const;

  std::string folder_;
  std::string pods_;
  const Log& log_;
  std::set<std::string> left_;  // that are no pod's logs
  BackgroundThread thread_{{"pod-logs", "logs of pods that are gone stay on the disk"}};
};

}  // namespace jettison
