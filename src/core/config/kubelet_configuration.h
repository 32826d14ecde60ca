#pragma once

#include "core/config/agent_config.h"
#include "core/thresholds/fields.h"

namespace jettison {

// Applies a KubeletConfiguration (v1beta1) to `config`, with the kubelet's defaults for absent
// fields. Only staticPodPath is read elsewhere, in ReadConfig, which knows the file of the field.
// Faults are noted by `fields`.
void ApplyKubeletConfiguration(const Fields& fields, AgentConfig& config, Faults& warnings,
                               Faults& faults);

// Applies the kubelet's defaults, for a configuration without a KubeletConfiguration.
void ApplyKubeletDefaults(AgentConfig& config);

}  // namespace jettison
