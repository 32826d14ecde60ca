#pragma once

#include <optional>
#include <vector>

#include "agent/workers/container_runs.h"

namespace jettison {

// What a pod that runs needs now.
struct PodActions {
  std::vector<ContainerLifecycle*> start;  // containers that are due
  bool initialized = false;                // every init container has done its part
  std::optional<bool> ends_well;           // its work is done: whether it succeeded
};

// `initialized`: every init container has done its part before. One init container starts after the
// other; a side-car has done its part once it has started. (kubelet: kuberuntime's
// computePodActions)
[[nodiscard]] PodActions ActionsFor(ContainerRuns& runs, RestartPolicy policy, bool initialized,
                                    Instant now);

// When ActionsFor will have something to start, should nothing change but the time; absent: never.
[[nodiscard]] std::optional<Instant> NextRestartAt(const ContainerRuns& runs, RestartPolicy policy,
                                                   bool initialized);

}  // namespace jettison
