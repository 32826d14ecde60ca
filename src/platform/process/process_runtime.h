#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "model/cgroup_driver.h"
#include "pod_host/path_errand.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/pod_plan.h"
#include "units/result.h"

namespace jettison {

struct ProcessRuntimeOptions {
  // Everything is kept below this absolute path (process/paths.h names the folders).
  std::string root;
  // Where logs go (podLogsDir), an absolute path; empty: below the root.
  std::string logs = "";
  // The program jettison-shim; empty: beside the running program.
  std::string shim;
  // How a pod is written down and read again after a restart of the agent.
  std::shared_ptr<const WrittenPods> written_pods;
  CgroupDriver cgroup_driver = CgroupDriver::kCgroupfs;
  // The path from the node's own group to the one where the pods' group stands, ending with a
  // slash; empty: they are the same.
  std::string cgroup_root = "";
  // One file of a container's log, and how many are kept, the current one included
  // (containerLogMaxSize, containerLogMaxFiles).
  std::uint64_t log_max_bytes = std::uint64_t{10} << 20;
  int log_max_files = 5;
  // Who does what may wait for a file system that never answers, and how long a pod waits for it.
  pod_host::PathPatience path_patience = {};
  // Told what went differently than it should and hurts nobody yet; one sentence, no line feed.
  std::function<void(std::string_view)> log;
};

// Runs pods without daemon or image: a container is its command as processes of the host, in
// control groups and a mount namespace of its own, with a shim beside it that outlives the agent.
// See docs/process-runtime.md. `cgroups` and `clock` must outlive the runtime. Used by one thread.
//
// Fails where the root cannot be made or another agent works in it. The runtime's destruction
// leaves what runs running.
[[nodiscard]] Result<std::unique_ptr<ContainerRuntime>> OpenProcessRuntime(
    ProcessRuntimeOptions options, Cgroups& cgroups, const Clock& clock);

}  // namespace jettison
