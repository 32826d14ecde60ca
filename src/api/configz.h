#pragma once

#include <string>

#include "core/config/agent_config.h"
#include "core/json/json_writer.h"

namespace jettison {

// The configuration in force, with every default filled in, in the form of the kubelet's /configz:
// {"kubeletconfig": a KubeletConfiguration, "jettisonconfig": a JettisonConfiguration}. ReadConfig
// makes the same AgentConfig from the two, beside a kubelet together with the kubelet's own. The
// contents of named files (tokens, keys) are not included.
[[nodiscard]] std::string ConfigzJson(const AgentConfig& config);
// The same as members of an object that is open.
void WriteConfigz(const AgentConfig& config, JsonWriter& json);

}  // namespace jettison
