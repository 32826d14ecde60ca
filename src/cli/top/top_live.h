#pragma once

#include <functional>
#include <optional>

#include "api/overview/overview.h"
#include "cli/terminal/full_screen.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// Where `jettison top` has its figures from.
struct TopSource {
  // The node now, its pods ranked for that signal; absent: for the nearest.
  std::function<Result<Overview>(std::optional<Signal>)> ask;
  Duration interval{0};
  int count = 0;  // ends after so many overviews, the first one included; 0: never
};

// Shows the node on a terminal until a key, a signal or the count ends it. Follows the terminal's
// size, gives the terminal back while it is stopped (Ctrl-Z), and goes on where the agent does not
// answer, saying so.
void ShowLive(const TopSource& source, Overview first, std::optional<Signal> chosen,
              const FullScreen& screen);

// The same as lines, for logs and pipes. Ends when they cannot be written any more, too, says so
// and returns the exit status.
[[nodiscard]] int ShowLines(const TopSource& source, const Overview& first,
                            std::optional<Signal> chosen);

}  // namespace jettison
