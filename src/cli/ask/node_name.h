#pragma once

#include <string>

#include "core/config/agent_config.h"

namespace jettison {

// The name of the node: as configured, else that of the host. With `source: kubernetes` the
// environment comes before the host: a pod learns the name of its node by NODE_NAME.
[[nodiscard]] std::string NodeNameOf(const AgentConfig& config);

}  // namespace jettison
