#pragma once

#include <optional>

#include "core/model/summary.h"
#include "core/units/duration.h"

namespace jettison {

// Lets memory grow on for `steps` more steps like the one from `before` to `now`, up to what is
// available. What did not grow stays as it is.
void GrowOn(const std::optional<MemoryStats>& before, double steps, Instant at,
            std::optional<MemoryStats>& now);
void GrowOn(const PodStats& before, double steps, PodStats& now);

}  // namespace jettison
