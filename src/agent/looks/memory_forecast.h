#pragma once

#include <array>
#include <optional>
#include <span>

#include "core/evaluate/evaluate.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// How often memory is looked at between passes.
struct LookRule {
  // The sudden growth, in bytes per second, that must be expected at any moment if the kernel does
  // not report crossings.
  double sudden_growth = 1024.0 * 1024 * 1024;
  Duration sudden_spacing = std::chrono::milliseconds(50);  // looks for it are no closer together
  // The same for swap. It may stay near a threshold for days, and its growth is limited by the
  // disk.
  Duration swap_spacing = std::chrono::milliseconds(500);
  // Each look comes after half of the predicted time to a threshold, until that half is below this.
  // Then the next look comes just after the predicted crossing. None comes sooner than `soonest`.
  Duration shortest = std::chrono::milliseconds(5);
  Duration soonest = std::chrono::milliseconds(2);
  Duration longest = std::chrono::seconds(10);
};

// Computes from the last looks at memory when the next one is due, so that no threshold is exceeded
// by much before, neither at the measured growth nor by sudden growth.
class MemoryForecast {
 public:
  explicit MemoryForecast(LookRule rule = {}) : rule_(rule) {}

  // Takes in what is available at `now`; other signals than those of memory and swap do not count.
  void Seen(const Observations& observations, Instant now);

  // The last look at a signal; absent: it was not seen.
  [[nodiscard]] const std::optional<Observation>& LastSeen(Signal signal) const {
    return trends_[IndexOf(signal)].last;
  }
  // How fast the available amount of a signal shrinks, in bytes per second; 0 if it grows or was
  // observed only once.
  [[nodiscard]] double ShrinkingBy(Signal signal) const;
  // At that pace, the time until `threshold` is crossed; absent: it is crossed, never will be, or
  // its signal was not seen.
  [[nodiscard]] std::optional<Duration> TimeTo(const Threshold& threshold) const;

  // The time from the last look to the next, for thresholds that are not crossed; absent: there are
  // none. `told`: the thresholds whose crossing the kernel reports, so that looks are only needed
  // within `kernel_slack` bytes of them, where the report may be late.
  [[nodiscard]] std::optional<Duration> NextLook(std::span<const Threshold> thresholds,
                                                 ThresholdSet told,
                                                 std::int64_t kernel_slack) const;

 private:
  struct Trend {
    std::optional<Observation> last;
    Instant at;
    double shrinking = 0;  // bytes a second
  };
  [[nodiscard]] const Trend* TrendOf(const Threshold& threshold) const;
  [[nodiscard]] Duration WaitForGrowth(std::int64_t distance, double pace) const;

  LookRule rule_;
  std::array<Trend, kSignalCount> trends_;
};

}  // namespace jettison
