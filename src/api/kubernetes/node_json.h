#pragma once

#include <string>

#include "api/kubernetes/host_facts.h"
#include "view/snapshot.h"

namespace jettison {

// The node as a v1.Node: conditions with reasons, messages and times, taints, capacity,
// allocatable, what the machine is. The heartbeat is the moment of the snapshot; Ready becomes true
// with the first pass. `snapshot.node` must be set.
[[nodiscard]] std::string NodeJson(const Snapshot& snapshot, const HostFacts& host);

// One condition as a v1.NodeCondition, seen at `heartbeat`.
[[nodiscard]] std::string ConditionJson(const ConditionView& condition, Instant heartbeat);

}  // namespace jettison
