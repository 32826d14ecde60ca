#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/cgroup_driver.h"
#include "core/units/duration.h"
#include "kernel/readiness/disk_work.h"
#include "ports/disk_thread.h"
#include "ports/pod_plan.h"

namespace jettison {

// What the runtime is told once.
struct CriRuntimeOptions {
  // Volumes and the lock are kept below this absolute path. It also tells this agent's pods from
  // those of another agent on the same container runtime.
  std::string root;
  // Where logs go (podLogsDir), an absolute path; empty: below the root.
  std::string logs = "";
  // The node's own group as an absolute path in the hierarchies, without a slash at its end: "" or
  // "/a/b". Groups of pods lie below it.
  std::string cgroup_prefix = "";
  // How a pod is recorded, beside its sandbox, and read again after a restart of the agent.
  std::shared_ptr<const WrittenPods> written_pods = nullptr;
  CgroupDriver cgroup_driver = CgroupDriver::kCgroupfs;
  // How long a call may take before it counts as failed (runtimeRequestTimeout); pulling an image
  // and making a sandbox may take longer.
  Duration request_timeout = std::chrono::minutes(2);
  // A container's log that has grown so large, in bytes, is rotated (containerLogMaxSize); absent:
  // none is. So many files of a run are kept, the one being written included
  // (containerLogMaxFiles); logs are looked at so often (containerLogMonitorInterval).
  std::optional<std::int64_t> log_max_bytes = std::nullopt;
  int log_max_files = 5;
  Duration log_period = std::chrono::seconds(10);
  // How often everything is listed and compared with what is known.
  Duration relist_period = std::chrono::seconds(10);
  // How long a pod waits for file systems that may never answer.
  Duration path_patience = std::chrono::seconds(10);
  // Does what a disk may hold up; null: the caller's thread does.
  std::shared_ptr<DiskThread> disk_thread = nullptr;
  // Receives a message about a fault that has no consequences yet: one sentence without a line
  // feed.
  std::function<void(std::string_view)> log;
};

// The same with paths as they are compared: without a slash at their end.
[[nodiscard]] inline CriRuntimeOptions Tidied(CriRuntimeOptions options) {
  while (options.root.ends_with('/')) options.root.pop_back();
  while (options.cgroup_prefix.ends_with('/')) options.cgroup_prefix.pop_back();
  return options;
}

}  // namespace jettison
