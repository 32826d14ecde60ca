#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/units/duration.h"

namespace jettison::kube {

// A pod that the agent has begun to end on this node and whose eviction the API server does not
// know of yet.
struct EvictionIntent {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string message;            // of its status: "The node was low on resource: memory. ..."
  bool disruption_target = true;  // false: the pod exceeded a limit of its own
  std::int64_t grace_seconds = 0;
  WallTime evicted_at;
  std::string boot_id;  // of the machine's boot in which that was; empty: not known
  // The group in which no new process can start, relative to the node's own group; empty: none.
  std::string held_group;
  std::optional<std::int64_t> pids_limit;  // what the group had before; absent: no limit
  friend bool operator==(const EvictionIntent&, const EvictionIntent&) = default;
};

}  // namespace jettison::kube
