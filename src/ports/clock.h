#pragma once

#include <algorithm>
#include <string>

#include "core/units/duration.h"
#include "core/units/wall_time.h"

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
  // What everything is decided by: it never steps and counts while the machine is suspended. Its
  // epoch is such that instants looked like real time when the agent started.
  [[nodiscard]] virtual Instant Now() const = 0;
  // Real time, for what is shown and written down; it may step at any moment.
  [[nodiscard]] virtual WallTime Wall() const = 0;
  [[nodiscard]] virtual TimeMark Mark() const = 0;
};

// a - b, saturating: times that come from outside may be anything.
[[nodiscard]] constexpr Duration SaturatingDifference(Duration a, Duration b) {
  Duration::rep difference = 0;
  if (!__builtin_sub_overflow(a.count(), b.count(), &difference)) return Duration(difference);
  return a < b ? Duration::min() : Duration::max();
}

// When it was what somebody stamped with real time, as far as real time tells now: as long ago as
// it says, but never in the future and not before `earliest`. Wrong by as much as the wall clock
// was set since; so each stamp is converted once, where it comes in.
[[nodiscard]] inline Instant InstantOf(WallTime then, const Clock& clock,
                                       Instant earliest = Instant::min()) {
  const Instant now = clock.Now();
  const Duration ago = std::max(
      SaturatingDifference(clock.Wall().time_since_epoch(), then.time_since_epoch()), Duration(0));
  const Instant at(SaturatingDifference(now.time_since_epoch(), ago));
  return std::min(std::max(at, earliest), now);
}

// Real time at an instant, as the wall clock stands now.
[[nodiscard]] inline WallTime WallOf(Instant then, const Clock& clock) {
  return WallTime(
      SaturatingDifference(clock.Wall().time_since_epoch(), Elapsed(then, clock.Now())));
}

// How much of the time that the machine was off, or that only real time tells of, counts.
inline constexpr Duration kMostTimeOff = std::chrono::hours(24);

// The time from one mark to another. Within a boot it is exact, however the wall clock was set.
// Across boots only real time tells, which may be wrong by years where a machine has no battery: it
// counts neither backwards nor for more than kMostTimeOff.
[[nodiscard]] inline Duration ElapsedBetween(const TimeMark& then, const TimeMark& now) {
  if (!then.boot_id.empty() && then.boot_id == now.boot_id) {
    return std::max(SaturatingDifference(now.since_boot, then.since_boot), Duration(0));
  }
  const Duration wall =
      SaturatingDifference(now.wall.time_since_epoch(), then.wall.time_since_epoch());
  return std::clamp(wall, Duration(0), kMostTimeOff);
}

}  // namespace jettison
