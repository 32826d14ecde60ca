#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cli/terminal/text_line.h"

namespace jettison {

// The position of the threshold on a bar, as a share of its length. It is the same for every
// signal, so that the thresholds on a screen form one line.
inline constexpr double kThresholdAt = 0.75;

// What a bar shows of one signal, in the signal's unit.
struct BarFigures {
  std::optional<std::int64_t> available;  // absent: an empty bar
  std::int64_t capacity = 0;
  std::int64_t threshold = 0;           // met below this
  std::optional<std::int64_t> earlier;  // a threshold that is met before, with a mark of its own
  std::optional<std::int64_t> lowest;   // the least that was available for a while; a shadow
  bool met = false;
};

// How full a bar is when so much is available, as a share of its length: what is used in relation
// to what may be used before the threshold is crossed. Within [0, 1].
[[nodiscard]] double BarShare(const BarFigures& figures, std::int64_t available);

// Adds a bar of that many columns with the thresholds' marks.
void AddBar(TextLine& line, const BarFigures& figures, std::size_t columns, TextStyle style);

}  // namespace jettison
