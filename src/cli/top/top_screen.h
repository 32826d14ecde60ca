#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/overview/overview.h"
#include "cli/terminal/text_line.h"
#include "cli/top/top_view.h"

namespace jettison {

struct TopContent {
  const Overview& overview;
  const TopView& view;
  std::string trouble;  // why there is nothing newer; empty: all is well
};

// The node as lines for a terminal of that size: at most as many as it has rows, none longer than
// it is wide. Signals keep their rows, pods and events share the rest.
[[nodiscard]] std::vector<std::string> ComposeTop(const TopContent& content, ScreenSize size,
                                                  TextStyle style);

// How many pods such a screen shows at a time.
[[nodiscard]] std::size_t PodsOnScreen(const Overview& overview, ScreenSize size);

}  // namespace jettison
