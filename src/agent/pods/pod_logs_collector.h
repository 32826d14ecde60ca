#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "agent/log/log.h"
#include "agent/loop/background_thread.h"
#include "core/decide/container_gc.h"

namespace jettison {

// Deletes folders of logs whose pods are gone. A pod takes its logs with it; what is found here is
// of a removal that the end of an agent interrupted.
class PodLogsCollector {
 public:
  // `folder` holds a folder a pod and belongs to this agent alone. Of a pod that has a folder in
  // `pods` nothing is deleted. `log` must outlive this.
  PodLogsCollector(std::string folder, std::string pods, const Log& log)
      : folder_(std::move(folder)), pods_(std::move(pods)), log_(log) {}

  // How many pods lose their logs. They are out of the way when this returns; on a thread of their
  // own they are deleted, now or, if that is interrupted, in a later collection.
  std::size_t Collect(const PodsForGc& pods);

 private:
  // Gives it a name that no pod's folder has; whether that worked.
  [[nodiscard]] bool Doom(const std::string& name) const;

  std::string folder_;
  std::string pods_;
  const Log& log_;
  BackgroundThread thread_{{"pod-logs", "logs of pods that are gone stay on the disk"}};
};

}  // namespace jettison
