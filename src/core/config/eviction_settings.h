#pragma once

#include "core/thresholds/fields.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {

// The threshold settings of a KubeletConfiguration as unparsed text: evictionHard, which has the
// kubelet's defaults if it is absent, or is merged with them, and evictionSoft with its grace
// periods. Minimum reclaims are read elsewhere.
[[nodiscard]] EvictionSettings ReadEvictionSettings(const Fields& fields);

}  // namespace jettison
