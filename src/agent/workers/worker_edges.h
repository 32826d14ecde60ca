#pragma once

#include <cstdint>

#include "agent/log/event_log.h"
#include "agent/log/log.h"
#include "agent/workers/backoff.h"
#include "kernel/groups/cgroup_layout.h"
#include "kernel/groups/qos_groups.h"
#include "ports/container_runtime.h"
#include "view/node_counters.h"

namespace jettison {

// What the workers of all pods touch besides their own state.
struct WorkerEdges {
  ContainerRuntime& runtime;
  EventLog& events;
  const Log& log;
  std::uint64_t memory_capacity_bytes = 0;  // of the node, for oom_score_adj
  BackoffRule restart_rule = kRestartRule;
  kernel::LimitSettings limit_settings = {};
  PodCounters counters = {};  // of all pods
  // Told which pods come and go. Null: nobody shares out CPU time among their classes.
  kernel::QosGroups* qos_groups = nullptr;
};

}  // namespace jettison
