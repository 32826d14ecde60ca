#pragma once

#include "core/thresholds/fields.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {

// What a KubeletConfiguration says of thresholds, nothing understood yet: evictionHard with the
// kubelet's defaults where it is absent as a whole, or merged with them, evictionSoft with its
// grace periods. Minimum reclaims are read apart.
[[nodiscard]] EvictionSettings ReadEvictionSettings(const Fields& fields);

}  // namespace jettison
