#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/model/signal.h"
#include "view/snapshot.h"

namespace jettison {

// How low each signal fell in the act on stage. What follows an eviction is too fast for the eye.
class DemoPeaks {
 public:
  // Begins anew with each act.
  void Record(const Snapshot& snapshot, std::size_t act);
  // The lowest amount available in this act; absent where it was never measured.
  [[nodiscard]] std::optional<std::int64_t> Lowest(Signal signal) const {
    return lowest_[IndexOf(signal)];
  }

 private:
  std::array<std::optional<std::int64_t>, kSignalCount> lowest_;
  std::size_t act_ = 0;
};

}  // namespace jettison
