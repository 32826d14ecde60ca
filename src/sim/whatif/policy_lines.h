#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/threshold.h"
#include "core/observe/observations.h"

namespace jettison {

// The thresholds of a policy as whole amounts: `available` is below a line exactly where the
// threshold is met. What a share comes to is worked out again when the capacity changes.
class PolicyLines {
 public:
  explicit PolicyLines(const std::vector<Threshold>& thresholds);

  [[nodiscard]] std::int64_t LineOf(std::size_t threshold, std::int64_t capacity) const;
  // Whether these figures meet none.
  [[nodiscard]] bool MeetsNone(const Observations& seen) const;
  // The highest hard one on memory.available; 0: there is none.
  [[nodiscard]] std::int64_t Reserved(const Observations& seen) const;

 private:
  struct Line {
    Signal signal = Signal::kMemoryAvailable;
    bool hard = false;
    ThresholdValue value;
    std::int64_t capacity = -1;
    std::int64_t amount = 0;
  };
  mutable std::vector<Line> lines_;  // `amount` is kept for the last `capacity`
};

}  // namespace jettison
