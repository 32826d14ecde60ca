#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "api/overview/overview.h"
#include "cli/terminal/text_line.h"

namespace jettison {

// Which pods of a list are shown, and how.
struct PodWindow {
  std::size_t first = 0;
  std::size_t count = 0;
  std::string_view marked = {};  // the name of a pod that gets a mark; empty: none
};

// A title, a header and a line for each pod of the window, which is moved back where it would begin
// behind the last page.
[[nodiscard]] std::vector<TextLine> PodLines(const Overview& overview, PodWindow window,
                                             std::size_t columns, TextStyle style);

}  // namespace jettison
