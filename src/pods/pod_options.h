#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/choices.h"
#include "core/units/duration.h"
#include "ports/disk_thread.h"
#include "ports/pod_plan.h"

namespace jettison {

// What a runtime is told once, whatever its containers are.
struct PodOptions {
  // Everything of the pods is kept below this absolute path (kernel/files/paths.h names the
  // folders). It also tells this agent's pods from those of another agent.
  std::string root;
  // Where logs go (podLogsDir), an absolute path; empty: below the root.
  std::string logs;
  // How a pod is written down and read again after a restart of the agent.
  std::shared_ptr<const WrittenPods> written_pods;
  CgroupDriver cgroup_driver = CgroupDriver::kCgroupfs;
  // A container's log that has grown so large, in bytes, is rotated (containerLogMaxSize); absent:
  // none is. So many files of a run are kept, the one being written included
  // (containerLogMaxFiles); logs are looked at so often (containerLogMonitorInterval).
  std::optional<std::int64_t> log_max_bytes;
  int log_max_files = 5;
  Duration log_period = std::chrono::seconds(10);
  // How long a pod waits for file systems that may never answer.
  Duration path_patience = std::chrono::seconds(10);
  // Does what a disk may hold up; null: the caller's thread does.
  std::shared_ptr<DiskThread> disk_thread;
  // Receives a message about a fault that has no consequences yet: one sentence without a line
  // feed.
  std::function<void(std::string_view)> log;
};

}  // namespace jettison
