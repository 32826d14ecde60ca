#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "agent/snapshot.h"
#include "cli/demo_text.h"

namespace jettison {

// Where on a bar the threshold stands, as a share of its length: the same for every signal, so that
// the thresholds of a screen form one line.
inline constexpr double kThresholdAt = 0.75;

// How full a bar is when so much is available, as a share of its length: what is used in relation
// to what may be used before the threshold is crossed. Within [0, 1]; 0 for a signal that was not
// measured.
[[nodiscard]] double BarShare(const ThresholdView& view, std::int64_t available);

// Adds a bar of that many columns with the threshold's mark. Unknown figures give an empty bar.
// `lowest`, the least that was available for a while, leaves a shadow.
void AddBar(TextLine& line, const ThresholdView& view, std::optional<std::int64_t> lowest,
            std::size_t columns, TextStyle style);

}  // namespace jettison
