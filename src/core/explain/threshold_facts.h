#pragma once

#include <span>
#include <vector>

#include "core/evaluate/evaluate.h"
#include "core/explanation/explanation.h"

namespace jettison {

// Each threshold as an evaluation at `now` found it.
[[nodiscard]] std::vector<ThresholdFacts> FactsOf(std::span<const Threshold> thresholds,
                                                  const Observations& observations,
                                                  const Evaluation& evaluation, Instant now);

}  // namespace jettison
