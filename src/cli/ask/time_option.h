#pragma once

#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// The time that an option names: an instant (2026-01-31T12:00:00Z), a day (2026-01-31, its
// beginning in UTC), `now`, or how long before `now` (2h). kInvalidArgument: none of these.
[[nodiscard]] Result<Instant> TimeNamed(std::string_view option, const std::string& text,
                                        Instant now);

}  // namespace jettison
