#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "api/overview/overview.h"
#include "cli/terminal/text_line.h"

namespace jettison {

// How many pods of a list are shown, and how.
struct ShownPods {
  std::size_t count = 0;         // from the first to be evicted on
  std::string_view marked = {};  // the name of a pod that gets a mark; empty: none
};

// A title, a header and a line for each pod that is shown.
[[nodiscard]] std::vector<TextLine> PodLines(const Overview& overview, ShownPods shown,
                                             std::size_t columns, TextStyle style);

}  // namespace jettison
