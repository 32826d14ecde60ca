#pragma once

#include "core/model/value.h"
#include "core/pass/pass.h"
#include "core/units/result.h"

namespace jettison {

// What a scenario says of its policy; null where it says nothing.
struct ScenarioSettings {
  Value kubelet_config;   // "kubeletConfig": the eviction fields of a KubeletConfiguration
  Value jettison_config;  // "jettisonConfig": the pressure fields of a JettisonConfiguration
  Value disk;             // "disk": the layout
};

// The policy of a scenario: its settings as they stand, without the defaults of a running agent.
// Fails with every fault in one message.
[[nodiscard]] Result<PassPolicy> ScenarioPolicy(const ScenarioSettings& settings);

}  // namespace jettison
