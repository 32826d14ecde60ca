#pragma once

#include <cstddef>
#include <vector>

#include "api/overview/overview.h"
#include "cli/terminal/text_line.h"

namespace jettison {

// A header and a line for each signal with its bar; of more than `most` those that have used up the
// most of what lies before their threshold.
[[nodiscard]] std::vector<TextLine> SignalLines(const Overview& overview, std::size_t most,
                                                std::size_t columns, TextStyle style);

}  // namespace jettison
