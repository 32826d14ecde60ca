#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>

#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// How far apart two looks are. A process may touch memory, and pages of the page cache may become
// active, at several GiB/s at any moment, and make some tasks each ten microseconds, so a look
// comes before that could have used up what is left to the nearest threshold. A look costs some 50
// us, so at kNearestLook it takes 1% of a processor; a node comes there only within 80 MiB of a
// threshold.
inline constexpr double kBytesAtOnce = 16.0 * 1024 * 1024 * 1024;  // a second
inline constexpr double kTasksAtOnce = 100'000;                    // the same
inline constexpr Duration kNearestLook = std::chrono::milliseconds(5);
inline constexpr Duration kFarthestLook = std::chrono::milliseconds(500);

// The kernel may report stalls again every 10 ms (CGROUP_FILE_NOTIFY_MIN_INTV) for as long as a
// group is at its limit, and levels as often as usage crosses them. Looks that follow are so far
// apart.
inline constexpr Duration kStallSpacing = std::chrono::milliseconds(50);
inline constexpr Duration kLevelSpacing = std::chrono::milliseconds(1);

// While pods are ending or an eviction waits, the node is looked at every few milliseconds at
// first, and less often later.
inline constexpr Duration kShortestPaceLook = std::chrono::milliseconds(5);
inline constexpr Duration kLongestPaceLook = std::chrono::milliseconds(20);

// What was seen of the node, and when.
struct NodeLook {
  Observations seen;
  Instant at;
};

// The time from the look `last` to the next: until the nearest threshold on memory, swap or process
// IDs that is not crossed is reached, at the growth since the look `before` or at what can be taken
// at once, whichever is faster, but between kNearestLook and kFarthestLook.
[[nodiscard]] Duration NextLook(std::span<const Threshold> thresholds, const NodeLook& before,
                                const NodeLook& last);

// The same while pods are ending, or an eviction waits, since then.
[[nodiscard]] Duration NextPaceLook(Instant since, Instant now);

}  // namespace jettison
