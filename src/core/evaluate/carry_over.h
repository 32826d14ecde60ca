#pragma once

#include <span>

#include "core/evaluate/evaluate.h"
#include "core/model/threshold.h"

namespace jettison {

// Whether both are the same line: of one signal, both hard or both soft, at the same value. How
// long it may be met, and how much is to be reclaimed beyond it, may differ.
[[nodiscard]] bool IsSameLine(const Threshold& a, const Threshold& b);

// The state of thresholds `from` as that of thresholds `to`. A line that both have keeps when it
// was first met, and whether it had been met for its grace period; a new one begins afresh.
// Conditions stay: one that no threshold is about any more ends with its transition period. So do
// what was last observed, and the last eviction. Both lists have at most kMaxThresholds.
[[nodiscard]] EvictionState CarryOver(const EvictionState& state, std::span<const Threshold> from,
                                      std::span<const Threshold> to);

}  // namespace jettison
