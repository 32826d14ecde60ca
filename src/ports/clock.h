#pragma once

#include <algorithm>
#include <string>

#include "core/units/duration.h"

namespace jettison {

// A moment as it can be written down and understood by another run of the agent.
struct TimeMark {
  std::string boot_id;     // of the machine's boot; empty where it is not known
  Duration since_boot{0};  // suspend included
  WallTime wall;
};

// Time as the agent sees it.
class Clock {
 public:
  virtual ~Clock() = default;
  // The time that all decisions are based on. It never steps, and it advances while the machine is
  // suspended. At the start of the agent it was equal to real time.
  [[nodiscard]] virtual Instant Now() const = 0;
  // Real time, for display and for files; it may step at any moment.
  [[nodiscard]] virtual WallTime Wall() const = 0;
  [[nodiscard]] virtual TimeMark Mark() const = 0;
};

// a - b, saturating: times that come from outside may be anything.
[[nodiscard]] constexpr Duration SaturatingDifference(Duration a, Duration b) {
  Duration::rep difference = 0;
  if (!__builtin_sub_overflow(a.count(), b.count(), &difference)) return Duration(difference);
  return a < b ? Duration::min() : Duration::max();
}

// Converts a real-time stamp to an Instant: as long before now as the wall clock says, but never in
// the future and not before `earliest`. The result is wrong by as much as the wall clock has been
// set since the stamp was made. So each stamp is converted only once, where it is read.
[[nodiscard]] inline Instant InstantOf(WallTime then, const Clock& clock,
                                       Instant earliest = Instant::min()) {
  const Instant now = clock.Now();
  const Duration ago = std::max(
      SaturatingDifference(clock.Wall().time_since_epoch(), then.time_since_epoch()), Duration(0));
  const Instant at(SaturatingDifference(now.time_since_epoch(), ago));
  return std::min(std::max(at, earliest), now);
}

// The longest time between two boots that counts as elapsed (ElapsedBetween).
inline constexpr Duration kMostTimeOff = std::chrono::hours(24);

// The time from one mark to another. Within one boot it is exact, even if the wall clock was set.
// Across boots it is the difference of real times, limited to 0..kMostTimeOff, because the real
// time of a machine without a battery may be wrong by years.
[[nodiscard]] inline Duration ElapsedBetween(const TimeMark& then, const TimeMark& now) {
  if (!then.boot_id.empty() && then.boot_id == now.boot_id) {
    return std::max(SaturatingDifference(now.since_boot, then.since_boot), Duration(0));
  }
  const Duration wall =
      SaturatingDifference(now.wall.time_since_epoch(), then.wall.time_since_epoch());
  return std::clamp(wall, Duration(0), kMostTimeOff);
}

}  // namespace jettison
