#pragma once

#include <algorithm>

#include "core/units/duration.h"

namespace jettison {

// How often a hook may be called: a few times in a row, and then once an interval.
class HookBudget {
 public:
  explicit HookBudget(Duration interval, int burst = 10) : interval_(interval), burst_(burst) {}

  // Whether one may be made at `now`, which it then is.
  [[nodiscard]] bool Take(Instant now) {
    // Each call uses up one interval; as many as make a burst may be ahead of the clock.
    const Instant used_up = std::max(used_up_to_, now) + interval_;
    if (used_up - now > burst_ * interval_) return false;
    used_up_to_ = used_up;
    return true;
  }

 private:
  Duration interval_;
  int burst_;
  Instant used_up_to_;
};

}  // namespace jettison
