#pragma once

#include <string>

#include "core/config/agent_config.h"

namespace jettison {

// What the agent runs by, every default filled in, as the kubelet's /configz has it:
// {"kubeletconfig": a KubeletConfiguration, "jettisonconfig": a JettisonConfiguration}. ReadConfig
// makes the same AgentConfig of the two. The contents of files that are named (tokens, keys) are
// not told.
[[nodiscard]] std::string ConfigzJson(const AgentConfig& config);

}  // namespace jettison
