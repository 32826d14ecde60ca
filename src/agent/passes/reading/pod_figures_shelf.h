#pragma once

#include <vector>

#include "core/model/summary.h"

namespace jettison {

// Keeps the allocated memory of pods' stats while passes read none, so that a pass which acts
// allocates none.
class PodFiguresShelf {
 public:
  // Leaves `stats` empty.
  void PutAway(std::vector<PodStats>& stats) {
    if (!stats.empty()) stats_.swap(stats);
    stats.clear();
  }
  // Gives `stats`, which are to be read anew, the memory that was put away, old figures and all.
  void TakeOut(std::vector<PodStats>& stats) {
    if (stats.empty()) stats_.swap(stats);
  }

 private:
  std::vector<PodStats> stats_;
};

}  // namespace jettison
