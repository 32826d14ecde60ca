#pragma once

#include <string>

#include "core/json/json_writer.h"
#include "core/model/value.h"
#include "core/pass/pass.h"
#include "core/units/result.h"

namespace jettison {

// The policy of a scenario: its settings as they stand, without the defaults of a running agent.
// They are its members "kubeletConfig" (the eviction fields of a KubeletConfiguration),
// "jettisonConfig" (the pressure fields of a JettisonConfiguration) and "disk" (the layout), each
// a map or absent. Fails with every fault in one message.
[[nodiscard]] Result<PassPolicy> ScenarioPolicy(const Value& scenario);

// Writes the members "kubeletConfig", "jettisonConfig" and "disk" of a record; ScenarioPolicy reads
// them to an equal policy, its thresholds perhaps in another order.
void WritePolicy(const PassPolicy& policy, JsonWriter& json);

// Writes thresholds as the members of a KubeletConfiguration that they come from: "evictionHard",
// always, and "evictionSoft", "evictionSoftGracePeriod" and "evictionMinimumReclaim" where there is
// something to say. Those on pressure and swap, and the copy for allocatable memory, which follows
// from another, are left out.
void WriteEvictionSettings(const std::vector<Threshold>& thresholds, JsonWriter& json);

// The same for "pressureHard", "pressureSoft", "pressureSoftGracePeriod", "swapHard", "swapSoft"
// and "swapSoftGracePeriod" of a JettisonConfiguration; nothing where there are none.
void WriteOwnSettings(const std::vector<Threshold>& thresholds, JsonWriter& json);

// A policy as a KubeletConfiguration in YAML, which a kubelet or `jettison run` takes. Thresholds
// on containerfs.* are left out, because they follow from others. Thresholds of Jettison's own
// signals are in a JettisonConfiguration behind it, where there are any.
[[nodiscard]] std::string ConfigurationYaml(const PassPolicy& policy);

}  // namespace jettison
