#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// A span of time in nanoseconds, as Go's time.Duration: 64 bits, signed.
using Duration = std::chrono::nanoseconds;

// A point in time in nanoseconds since the Unix epoch. The core only ever receives one; nothing in
// it reads a clock.
using Instant = std::chrono::sys_time<std::chrono::nanoseconds>;

// Parses Go's duration syntax ("1h30m", "1.5s", "-2us", "0"); fails on anything that Go's
// time.ParseDuration refuses, overflow (292 years) included.
[[nodiscard]] Result<Duration> ParseDuration(std::string_view text);

// The canonical text, as Go's Duration.String(): "1m30s", "100ms", "0s".
[[nodiscard]] std::string FormatDuration(Duration duration);

// Parses RFC 3339 ("2026-01-01T00:00:00Z", with fraction and numeric offset allowed), from 1678 to
// 2261.
[[nodiscard]] Result<Instant> ParseInstant(std::string_view text);

// RFC 3339 in UTC, with as many fractional digits as are not zero.
[[nodiscard]] std::string FormatInstant(Instant instant);

// The time from one instant to another; beyond 292 years it saturates, as Go's Time.Sub does.
[[nodiscard]] constexpr Duration Elapsed(Instant from, Instant to) {
  const auto begin = from.time_since_epoch().count();
  const auto end = to.time_since_epoch().count();
  Duration::rep difference = 0;
  if (!__builtin_sub_overflow(end, begin, &difference)) return Duration(difference);
  return end < begin ? Duration::min() : Duration::max();
}

// The instant so long after another; it saturates at the end of time (the year 2262).
[[nodiscard]] constexpr Instant Later(Instant from, Duration time) {
  Duration::rep sum = 0;
  if (!__builtin_add_overflow(from.time_since_epoch().count(), time.count(), &sum)) {
    return Instant(Duration(sum));
  }
  return time.count() < 0 ? Instant::min() : Instant::max();
}

// The first of these times; absent where all are.
[[nodiscard]] inline std::optional<Instant> Earliest(
    std::initializer_list<std::optional<Instant>> times) {
  std::optional<Instant> first;
  for (const auto& at : times) {
    if (at && (!first || *at < *first)) first = at;
  }
  return first;
}

// For figures that are shown, and for rates.
[[nodiscard]] constexpr double SecondsOf(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

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
