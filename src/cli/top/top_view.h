#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "api/overview/overview.h"
#include "cli/terminal/key_reader.h"
#include "core/model/signal.h"

namespace jettison {

// What the user of `jettison top` has chosen to see.
struct TopView {
  std::optional<Signal> chosen;  // what pods are ranked for; absent: the nearest signal
  std::size_t first_pod = 0;     // the first one shown
  bool paused = false;
  bool help = false;
};

// What a key asks of the program.
enum class TopAction : std::uint8_t {
  kDraw,  // the view has changed, or nothing has
  kAsk,   // the agent has to be asked for another ranking
  kQuit,
};

// Changes the view as the key says; `page`: how many pods are shown at a time.
[[nodiscard]] TopAction Press(KeyPress key, const Overview& overview, std::size_t page,
                              TopView& view);

}  // namespace jettison
