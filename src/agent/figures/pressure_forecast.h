#pragma once

#include <optional>
#include <span>

#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// The kernel brings its averages up to date every two seconds only, at moments that it does not
// tell (PSI_FREQ in kernel/sched/psi.c), so looking sooner mostly sees what was seen.
inline constexpr Duration kPressureUpdates = std::chrono::seconds(2);
// The least time between looks at pressure while tasks are stalled. A crossing of a threshold may
// go unnoticed for this long.
inline constexpr Duration kStalledSpacing = std::chrono::milliseconds(500);

// The least time until a pressure threshold can be met: the time in which the average reaches it if
// all tasks are stalled from now on (the old value decays by a factor of e each window). Absent:
// the threshold is met, its signal was not observed, or it is not on pressure.
[[nodiscard]] std::optional<Duration> SoonestCrossing(const Threshold& threshold,
                                                      const Observations& observations);

// The time to the next look at pressure: the soonest crossing of all, at least `spacing` and at
// most ten seconds; absent where nothing can be crossed.
[[nodiscard]] std::optional<Duration> NextPressureLook(std::span<const Threshold> thresholds,
                                                       const Observations& observations,
                                                       Duration spacing);

}  // namespace jettison
