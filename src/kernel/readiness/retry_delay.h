#pragma once

#include <algorithm>
#include <chrono>

#include "core/units/duration.h"

namespace jettison::kernel {

// How long to wait after so many failures: twice as long after each, at most 5 s.
[[nodiscard]] constexpr Duration RetryDelay(Duration first, int failures) {
  constexpr Duration kLast = std::chrono::seconds(5);
  return std::min(first * (1 << std::min(failures, 12)), kLast);
}

}  // namespace jettison::kernel
