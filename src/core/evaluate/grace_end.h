#pragma once

#include <optional>
#include <span>

#include "core/evaluate/evaluate.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"

namespace jettison {

// When the next threshold that is met will have been so, or will have been below the kubelet's
// line, for its whole grace period; absent: none is waiting for that. `thresholds` are those the
// evaluation was made with.
[[nodiscard]] std::optional<Instant> NextGraceEnd(std::span<const Threshold> thresholds,
                                                  const Evaluation& evaluation);

}  // namespace jettison
