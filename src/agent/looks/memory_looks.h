#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// Whether a look between passes reads this signal: one of memory, of swap, or of pressure.
[[nodiscard]] bool IsLookedAt(Signal signal);

// How far apart two looks are. A process may touch memory, and pages of the page cache may become
// active, at several GiB/s at any moment, so a look comes before kGrowthAtOnce could have used up
// what is left to the nearest threshold. A look costs some 30 us, so at kNearestLook it takes less
// than 0.2% of a processor.
inline constexpr double kGrowthAtOnce = 6.0 * 1024 * 1024 * 1024;  // bytes a second
inline constexpr Duration kNearestLook = std::chrono::milliseconds(20);
inline constexpr Duration kFarthestLook = std::chrono::milliseconds(500);

// The kernel may report again every 10 ms (CGROUP_FILE_NOTIFY_MIN_INTV) for as long as a group is
// at its limit.
inline constexpr Duration kStallLookSpacing = std::chrono::milliseconds(50);

// What was seen of the node, and when.
struct Look {
  Observations seen;
  Instant at;
};

// The time from the look `last` to the next: until the nearest threshold on memory or swap that is
// not crossed is reached, at the growth since the look `before` or at kGrowthAtOnce, whichever is
// faster, but between kNearestLook and kFarthestLook. Absent: there is no threshold on memory, swap
// or pressure.
[[nodiscard]] std::optional<Duration> NextLook(std::span<const Threshold> thresholds,
                                               const Look& before, const Look& last);

// Says when memory, swap and pressure are looked at between passes.
class MemoryLooks {
 public:
  // Without looking `ahead`, none is due but the one that Stalled puts off.
  explicit MemoryLooks(bool ahead) : ahead_(ahead) {}

  // The kernel has reported a stall. Whether a look is to follow at once; otherwise it becomes due,
  // because the last one that followed a report is less than kStallLookSpacing ago.
  [[nodiscard]] bool Stalled(Instant now);
  // Plans the next look by what has just been seen.
  void Plan(std::span<const Threshold> thresholds, const Observations& seen, Instant now);

  // Absent: none is needed.
  [[nodiscard]] std::optional<Instant> due() const { return due_; }

 private:
  bool ahead_;
  Look last_;
  std::optional<Instant> due_;
  bool put_off_ = false;       // a look that a report of the kernel asks for
  Instant next_after_report_;  // the earliest one that may follow a report
};

}  // namespace jettison
