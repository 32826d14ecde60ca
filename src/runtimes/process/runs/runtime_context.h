#pragma once

#include <string>
#include <vector>

#include "core/units/once.h"
#include "pods/pod_options.h"
#include "pods/run_dependencies.h"
#include "runtimes/process/runs/shim_process.h"

namespace jettison {

// What the process runtime is told once.
struct ProcessRuntimeOptions : PodOptions {
  // The program jettison-shim; empty: beside the running program.
  std::string shim;
};

}  // namespace jettison

namespace jettison::process {

// What every part of the runtime works with. One instance, owned by the runtime.
struct RuntimeContext : PodDependencies {
  ProcessRuntimeOptions options;
  std::string boot_id;
  Once oom_score_adj_refused;
  // Shims that have been killed and have not ended yet. Nobody waits for them.
  std::vector<ShimProcess> ending_shims;
};

}  // namespace jettison::process
