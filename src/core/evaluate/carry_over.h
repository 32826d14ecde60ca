#pragma once

#include <span>

#include "core/evaluate/evaluate.h"
#include "core/model/threshold.h"

namespace jettison {

// Whether both thresholds are of the same signal, both hard or both soft, and have the same value.
// Their grace periods and minimum reclaims may differ.
[[nodiscard]] bool IsSameLine(const Threshold& a, const Threshold& b);

// Converts the state of the thresholds `from` to a state of the thresholds `to`. A threshold that
// is in both (IsSameLine) keeps when it was first met, and whether it was met for its grace period;
// a new one starts as not met. Conditions are kept: one without a threshold ends after its
// transition period. The last observations and the last eviction are kept, too. Both lists have at
// most kMaxThresholds.
[[nodiscard]] EvictionState CarryOver(const EvictionState& state, std::span<const Threshold> from,
                                      std::span<const Threshold> to);

}  // namespace jettison
