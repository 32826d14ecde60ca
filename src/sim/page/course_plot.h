#pragma once

#include <span>
#include <string>

#include "core/model/signal.h"
#include "sim/page/page_data.h"
#include "sim/whatif/whatif_result.h"

namespace jettison {

// What a plot of a signal shows.
struct CoursePlot {
  std::string title;
  Signal signal = Signal::kMemoryAvailable;
  const SignalCourse& course;
  std::vector<PlotLine> lines;
  std::span<const SimulatedEviction> evictions;  // those for other signals are left out
};

// The plot as an SVG document: a band from the least to the most that was available, the lines, and
// the evictions with the bounds of their times.
[[nodiscard]] std::string CourseSvg(const CoursePlot& plot);

}  // namespace jettison
