#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/demo/demo_peaks.h"
#include "cli/terminal/text_line.h"
#include "core/units/duration.h"
#include "view/snapshot.h"

namespace jettison {

// What the screen is made of.
struct ScreenContent {
  const Snapshot& snapshot;
  Instant started;      // of the demo
  std::size_t act = 0;  // see DemoScript::act
  DemoPeaks peaks = {};
};

// The node as lines for a terminal of that size: no line is longer than the columns, and one row is
// left free for the cursor. What does not fit is left out from below, so that the signals stay.
// Signals and pods are drawn as `jettison top` draws them.
[[nodiscard]] std::vector<std::string> ComposeScreen(const ScreenContent& content, ScreenSize size,
                                                     TextStyle style);

// "act 1 of 4: leaker grows by 40 MiB a second", as DemoScript::act counts.
[[nodiscard]] std::string ActText(std::size_t act);

// The thresholds that the demo is about, one for each signal.
[[nodiscard]] std::vector<const ThresholdView*> ShownThresholds(const Snapshot& snapshot);

}  // namespace jettison
