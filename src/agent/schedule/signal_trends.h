#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// How fast what is available of each signal changes, as people are shown it: the straight line
// through the last readings (least squares). Nothing is decided by it.
class SignalTrends {
 public:
  // Takes what was read by `now`. A signal that has not been read again since its last reading, or
  // only just, adds nothing.
  void Take(const Observations& seen, Instant now);
  // An eviction changes everything.
  void BeginAnew() { readings_ = {}; }

  // Units a second; negative: it shrinks. Absent: there were fewer than four readings within the
  // last minute, or they do not lie along a line.
  [[nodiscard]] std::optional<double> Of(Signal signal, Instant now) const;

 private:
  struct Reading {
    Instant at;
    std::int64_t available = 0;
  };

  std::array<std::vector<Reading>, kSignalCount> readings_;  // the last ones, oldest first
};

// The time until the threshold is met if what is available goes on to change by `trend` a second.
// Absent: it is met already, it will not be, or not within an hour, about which the last seconds
// say nothing.
[[nodiscard]] std::optional<Duration> TimeTo(const Threshold& threshold, const Observation& seen,
                                             double trend);

}  // namespace jettison
