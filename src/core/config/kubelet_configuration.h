#pragma once

#include "core/config/agent_config.h"
#include "core/thresholds/fields.h"

namespace jettison {

// Takes what a KubeletConfiguration (v1beta1) says over into `config`, with the kubelet's defaults
// for what it does not say; staticPodPath alone is read by ReadConfig, which knows the file that it
// stands in. Faults go to where `fields` notes them.
void ApplyKubeletConfiguration(const Fields& fields, AgentConfig& config, Faults& warnings,
                               Faults& faults);

// What holds where there is no KubeletConfiguration at all: the kubelet's defaults.
void ApplyKubeletDefaults(AgentConfig& config);

}  // namespace jettison
