#pragma once

#include <optional>
#include <string_view>

#include "core/units/duration.h"

namespace jettison {

// A number as Prometheus writes it: a decimal one, "NaN", "+Inf", "-Inf"; none: it is no number.
[[nodiscard]] std::optional<double> ParseSampleNumber(std::string_view text);

// A time in seconds since the epoch, to the millisecond, which is what Prometheus counts in; none:
// it is further off than an Instant holds.
[[nodiscard]] std::optional<Instant> InstantOfSeconds(double seconds);

}  // namespace jettison
