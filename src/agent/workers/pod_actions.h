#pragma once

#include <optional>
#include <vector>

#include "agent/workers/container_runs.h"

namespace jettison {

// The actions that are due for a running pod.
struct PodActions {
  std::vector<ContainerLifecycle*> start;  // containers that are due
  bool initialized = false;                // all init containers are complete, sidecars started
  std::optional<bool> ends_well;           // present: the pod has ended; whether it succeeded
};

// `initialized`: all init containers were complete before. Init containers start one after the
// other; a sidecar counts as complete once it has started. (kubelet: kuberuntime's
// computePodActions)
[[nodiscard]] PodActions ActionsFor(ContainerRuns& runs, RestartPolicy policy, bool initialized,
                                    Instant now);

// When ActionsFor will next start a container if only the time changes; absent: never.
[[nodiscard]] std::optional<Instant> NextRestartAt(const ContainerRuns& runs, RestartPolicy policy,
                                                   bool initialized);

}  // namespace jettison
