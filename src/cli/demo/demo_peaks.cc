#include "cli/demo/demo_peaks.h"

#include <algorithm>

namespace jettison {

void DemoPeaks::Record(const Snapshot& snapshot, std::size_t act) {
  if (act != act_) lowest_ = {};
  act_ = act;
  for (const ThresholdView& view : snapshot.thresholds) {
    if (!view.observation) continue;
    const std::int64_t available = view.observation->available;
    auto& lowest = lowest_[IndexOf(view.threshold.signal)];
    lowest = std::min(lowest.value_or(available), available);
  }
}

}  // namespace jettison
