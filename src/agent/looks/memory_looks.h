#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "agent/looks/memory_forecast.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// The kernel may report again every 10 ms (CGROUP_FILE_NOTIFY_MIN_INTV) for as long as a group is
// at its limit. Growth that leads to a threshold sooner is looked at sooner anyway.
inline constexpr Duration kStallLookSpacing = std::chrono::milliseconds(50);

// Says when memory, swap and pressure are looked at between passes.
class MemoryLooks {
 public:
  // Without looking `ahead`, none is due but the one that Stalled puts off.
  explicit MemoryLooks(bool ahead) : ahead_(ahead) {}

  // Whether the kernel reports every requested memory level; false at first.
  void SetLevelsAreTold(bool told) { levels_are_told_ = told; }
  // Whether the kernel reports all stalls for which there are thresholds; false at first.
  void SetStallsAreTold(bool told) { stalls_are_told_ = told; }
  // The kernel has reported a stall. Whether a look is to follow at once; otherwise it becomes due,
  // because the last one that followed a report is less than kStallLookSpacing ago.
  [[nodiscard]] bool Stalled(Instant now);
  // Plans the next look by what has just been seen. `tellable`: the thresholds whose crossing the
  // levels can be relied upon to show (TellableThresholds).
  void Plan(std::span<const Threshold> thresholds, const Observations& seen, ThresholdSet tellable,
            Instant now);

  // Absent: none is needed.
  [[nodiscard]] std::optional<Instant> due() const { return due_; }
  // What was seen last, and at what pace it shrinks, as in MemoryForecast.
  [[nodiscard]] const std::optional<Observation>& LastSeen(Signal signal) const {
    return forecast_.LastSeen(signal);
  }
  [[nodiscard]] double ShrinkingBy(Signal signal) const { return forecast_.ShrinkingBy(signal); }
  // How long it takes until the threshold is crossed, as in MemoryForecast.
  [[nodiscard]] std::optional<Duration> TimeTo(const Threshold& threshold) const {
    return forecast_.TimeTo(threshold);
  }

 private:
  bool ahead_;
  bool levels_are_told_ = false;
  bool stalls_are_told_ = false;
  Instant stalled_until_;  // tasks wait until then, as far as the kernel has told
  MemoryForecast forecast_;
  std::optional<Instant> due_;
  bool put_off_ = false;       // a look that a report of the kernel asks for
  Instant next_after_report_;  // the earliest one that may follow a report
};

}  // namespace jettison
