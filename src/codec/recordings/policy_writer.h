#pragma once

#include "core/json/json_writer.h"
#include "core/pass/pass.h"

namespace jettison {

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

}  // namespace jettison
