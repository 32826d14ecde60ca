#pragma once

#include <cstdint>

#include "agent/dependencies/dependencies.h"
#include "agent/workers/backoff.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/groups/layout/qos_groups.h"
#include "machine/log/event_log.h"
#include "machine/log/log.h"
#include "ports/container_runtime.h"
#include "view/node_counters.h"

namespace jettison {

// The shared dependencies of the workers of all pods.
struct WorkerDependencies {
  ContainerRuntime& runtime;
  EventLog& events;
  const Log& log;
  std::uint64_t memory_capacity_bytes = 0;  // of the node, for oom_score_adj
  BackoffRule restart_rule = kRestartRule;
  kernel::LimitSettings limit_settings = {};
  PodCounters counters = {};  // of all pods
  // Is told which own pods are added and removed, to set the CPU shares of their QoS classes. May
  // be null.
  kernel::QosGroups* qos_groups = nullptr;
  // Asked before a pod is evicted for a soft threshold. Null: nobody is.
  SoftEvictions* soft = nullptr;
  bool dry_run = false;  // no pod is preempted for another
};

}  // namespace jettison
