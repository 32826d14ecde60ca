#pragma once

#include <cstddef>

#include "agent/snapshot.h"
#include "cli/demo_text.h"

namespace jettison {

// Where on a bar the threshold stands, as a share of its length: the same for every signal, so that
// the thresholds of a screen form one line.
inline constexpr double kThresholdAt = 0.75;

// How full a bar is, as a share of its length: what is used in relation to what may be used before
// the threshold is crossed. Within [0, 1].
[[nodiscard]] double BarShare(const ThresholdView& view);

// Adds a bar of that many columns with the threshold's mark. Unknown figures give an empty bar.
void AddBar(TextLine& line, const ThresholdView& view, std::size_t columns, TextStyle style);

}  // namespace jettison
