#pragma once

#include <vector>

#include "core/model/threshold.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {

// The settings of a KubeletConfiguration that these thresholds come from; ParseThresholds reads
// them to the same thresholds. Those on pressure and swap, which the kubelet does not have, and on
// allocatable memory, which follow from others, are left out. A minimum reclaim is of its signal.
[[nodiscard]] EvictionSettings SettingsOf(const std::vector<Threshold>& thresholds);

}  // namespace jettison
