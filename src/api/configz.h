#pragma once

#include <string>

#include "core/config/agent_config.h"

namespace jettison {

// The configuration in force, with every default filled in, in the form of the kubelet's /configz:
// {"kubeletconfig": a KubeletConfiguration, "jettisonconfig": a JettisonConfiguration}. ReadConfig
// makes the same AgentConfig from the two. The contents of named files (tokens, keys) are not
// included.
[[nodiscard]] std::string ConfigzJson(const AgentConfig& config);

}  // namespace jettison
