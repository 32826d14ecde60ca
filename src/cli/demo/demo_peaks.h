#pragma once

#include <cstddef>

#include "cli/top/top_signals.h"
#include "view/snapshot.h"

namespace jettison {

// The lowest amount of each signal in the current act. What follows an eviction is too fast to be
// seen on the screen.
class DemoPeaks {
 public:
  // Begins anew with each act.
  void Record(const Snapshot& snapshot, std::size_t act);
  // The lowest amounts available in this act; absent where they were never measured.
  [[nodiscard]] const LowestAvailable& lowest() const { return lowest_; }

 private:
  LowestAvailable lowest_;
  std::size_t act_ = 0;
};

}  // namespace jettison
