#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/overview/overview.h"
#include "cli/terminal/text_line.h"
#include "core/units/duration.h"

namespace jettison {

// The node as lines for a terminal of that size: at most as many as it has rows, none longer than
// it is wide. Below `title` stand the head and the signals as `jettison status` has them, then the
// pods that would be evicted first, and the last events in a third of what is left.
[[nodiscard]] std::vector<std::string> ComposeTop(std::vector<TextLine> title,
                                                  const Overview& overview, ScreenSize size,
                                                  TextStyle style);

// The node as lines, for logs and pipes: in one line each time, after the events that are new since
// the time before.
class TopLines {
 public:
  [[nodiscard]] std::vector<std::string> News(const Overview& overview);

 private:
  std::optional<Instant> told_until_;
};

}  // namespace jettison
