#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agent/agent_parts.h"
#include "agent/machine.h"
#include "view/snapshot.h"

namespace jettison {

// What onlookers are shown of.
struct ShownAgent {
  const AgentParts& parts;
  const Machine& machine;
  std::shared_ptr<const NodeIdentity> node;
  std::string manifest_error;  // as in Snapshot
  std::uint64_t log_lines_lost = 0;
};

// The snapshot of the node (Node::MakeSnapshot), with what the agent knows beside it.
[[nodiscard]] Snapshot ShownOf(const ShownAgent& agent);

}  // namespace jettison
