#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/cgroup_driver.h"
#include "core/units/once.h"
#include "kernel/readiness/disk_work.h"
#include "pods/run_edges.h"
#include "ports/disk_thread.h"
#include "ports/pod_plan.h"
#include "ports/system_error.h"
#include "runtimes/process/runs/shim_process.h"

namespace jettison {

// What the process runtime is told once.
struct ProcessRuntimeOptions {
  // Everything is kept below this absolute path (kernel/files/paths.h names the folders).
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
  // How long a pod waits for file systems that may never answer.
  Duration path_patience = std::chrono::seconds(10);
  // Does what a disk may hold up; null: the caller's thread does.
  std::shared_ptr<DiskThread> disk_thread = nullptr;
  // Receives a message about a fault that has no consequences yet: one sentence without a line
  // feed.
  std::function<void(std::string_view)> log;
};

}  // namespace jettison

namespace jettison::process {

// What every part of the runtime works with. One instance, owned by the runtime.
struct RuntimeContext : PodEdges {
  ProcessRuntimeOptions options;
  std::string boot_id;
  Once oom_score_adj_refused;
  // Shims that have been killed and have not ended yet. Nobody waits for them.
  std::vector<ShimProcess> ending_shims;

  // Said once: it is the same for every container.
  void NoteRefusedOomScoreAdj(int errno_value) {
    if (!oom_score_adj_refused.Take()) return;
    Log(SystemError(errno_value,
                    "oom_score_adj cannot be lowered without CAP_SYS_RESOURCE; containers keep the "
                    "nearest value that is allowed")
            .message);
  }
};

}  // namespace jettison::process
