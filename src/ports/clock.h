#pragma once

#include "units/duration.h"

namespace jettison {

// Time as the agent sees it: wall-clock instants that never step backwards while it runs.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant Now() const = 0;
};

}  // namespace jettison
