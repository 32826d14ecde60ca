#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/units/duration.h"

namespace jettison {

// Real time, as people and files have it. Anybody may set it at any moment, so nothing is decided
// by it, and it is a type of its own: it neither compares with an Instant nor subtracts from one.
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
