#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/units/duration.h"

namespace jettison {

// The clock of real time. It may be set at any moment, so no decision is based on it. Its time
// points have a type of their own, which cannot be compared with an Instant or subtracted from one.
struct RealTime {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<RealTime, Duration>;
  static constexpr bool is_steady = false;
};

// A point in real time in nanoseconds since the Unix epoch: what a runtime, a shim or a file of an
// earlier agent tells, and what is shown. `InstantOf` (ports/clock.h) makes an Instant of it.
using WallTime = RealTime::time_point;

// As ParseInstant and FormatInstant.
[[nodiscard]] inline Result<WallTime> ParseWallTime(std::string_view text) {
  return ParseInstant(text).map([](Instant at) { return WallTime(at.time_since_epoch()); });
}
[[nodiscard]] inline std::string FormatWallTime(WallTime at) {
  return FormatInstant(Instant(at.time_since_epoch()));
}

}  // namespace jettison
