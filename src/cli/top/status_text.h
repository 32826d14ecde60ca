#pragma once

#include <string>

#include "api/overview/overview.h"
#include "cli/terminal/text_line.h"

namespace jettison {

// A page that shows how the node stands: conditions, signals against their thresholds, pods that
// are on their way, who would go first, the last evictions. `columns`: lines are no longer, where
// text can be shortened.
[[nodiscard]] std::string StatusText(const Overview& overview, std::size_t columns,
                                     TextStyle style);

}  // namespace jettison
