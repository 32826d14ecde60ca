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
// While tasks wait, looks at pressure are no closer together than this: it is what an average that
// has crossed a line goes unseen for.
inline constexpr Duration kStalledSpacing = std::chrono::milliseconds(500);

// How long it takes at least until a pressure threshold that is not met is: the time in which the
// average gets there if everything waits from now on, for what it was decays by e each window.
// Absent: it is met, or its signal was not seen, or is none of pressure.
[[nodiscard]] std::optional<Duration> SoonestCrossing(const Threshold& threshold,
                                                      const Observations& observations);

// The time to the next look at pressure: the soonest crossing of all, at least `spacing` and at
// most ten seconds; absent where nothing can be crossed.
[[nodiscard]] std::optional<Duration> NextPressureLook(std::span<const Threshold> thresholds,
                                                       const Observations& observations,
                                                       Duration spacing);

}  // namespace jettison
