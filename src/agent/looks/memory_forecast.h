#pragma once

#include <array>
#include <optional>
#include <span>

#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// How often memory is looked at between passes.
struct LookRule {
  // What a pod may begin to grow by at any moment, bytes a second, where nothing but looking
  // would tell.
  double sudden_growth = 1024.0 * 1024 * 1024;
  Duration sudden_spacing = std::chrono::milliseconds(50);  // looks for it are no closer together
  // Nor, of swap, than this: it may lie near a line for days, and whoever swaps waits for a disk.
  Duration swap_spacing = std::chrono::milliseconds(500);
  // The way to a threshold is halved by looks no further than to this; the next one then comes when
  // the threshold is crossed at the measured pace, and none sooner than `soonest`.
  Duration shortest = std::chrono::milliseconds(5);
  Duration soonest = std::chrono::milliseconds(2);
  Duration longest = std::chrono::seconds(10);
};

// Says from the last looks at memory when the next one is due: so soon that no threshold is passed
// by much meanwhile, at the growth that was measured or at one that begins suddenly.
class MemoryForecast {
 public:
  explicit MemoryForecast(LookRule rule = {}) : rule_(rule) {}

  // Takes in what is available at `now`; other signals than those of memory and swap do not count.
  void Seen(const Observations& observations, Instant now);

  // How fast what a signal watches shrinks, bytes a second; 0 where it grows or was seen once only.
  [[nodiscard]] double ShrinkingBy(Signal signal) const;
  // At that pace, the time until `threshold` is crossed; absent: it is crossed, never will be, or
  // its signal was not seen.
  [[nodiscard]] std::optional<Duration> TimeTo(const Threshold& threshold) const;

  // The time from the last look to the next, for thresholds that are not crossed; absent: there is
  // none. `kernel_tells`: the kernel wakes the agent at each line of memory, so sudden growth is
  // not looked for but within `kernel_slack` bytes before one, where its word may not come.
  [[nodiscard]] std::optional<Duration> NextLook(std::span<const Threshold> thresholds,
                                                 bool kernel_tells,
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
