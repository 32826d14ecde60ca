#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/overview/overview.h"
#include "cli/terminal/text_line.h"

namespace jettison {

struct TopContent {
  const Overview& overview;
  std::string trouble;  // why there is nothing newer; empty: all is well
};

// The node as lines for a terminal of that size: at most as many as it has rows, none longer than
// it is wide. Signals keep their rows, events take a third of the rest, and the pods that would be
// evicted first have what is left.
[[nodiscard]] std::vector<std::string> ComposeTop(const TopContent& content, ScreenSize size,
                                                  TextStyle style);

}  // namespace jettison
