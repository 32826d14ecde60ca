#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "api/overview/overview.h"
#include "cli/terminal/text_line.h"
#include "core/model/signal.h"

namespace jettison {

// The least that was available of each signal for a while; the bars show it as a shadow.
using LowestAvailable = std::array<std::optional<std::int64_t>, kSignalCount>;

// A header and a line for each signal with its bar; of more than `most` those that have used up the
// most of what lies before their threshold.
[[nodiscard]] std::vector<TextLine> SignalLines(const Overview& overview, std::size_t most,
                                                std::size_t columns, TextStyle style,
                                                const LowestAvailable& lowest = {});

}  // namespace jettison
