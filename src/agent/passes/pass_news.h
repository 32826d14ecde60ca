#pragma once

#include <span>

#include "core/evaluate/evaluate.h"
#include "core/model/threshold.h"

namespace jettison {

// Whether a pass with this evaluation would report something new after the state `before`: a
// threshold acts or is newly met, or a condition changes.
[[nodiscard]] bool HasNews(const Evaluation& evaluation, const EvictionState& before);

// The same of thresholds on memory, swap and pressure alone, and not of conditions. What a pass has
// acted for is left to the next. `acted`: what acted in the last pass, and in every look since.
[[nodiscard]] bool HasNewsOfMemory(std::span<const Threshold> thresholds,
                                   const Evaluation& evaluation, const EvictionState& before,
                                   ThresholdSet acted);

}  // namespace jettison
