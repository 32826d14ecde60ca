#pragma once

#include <optional>
#include <span>

#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/report/cycle_report.h"
#include "core/units/duration.h"

namespace jettison {

// The next eviction while it waits (decide/eviction_pace), as reported by passes.
class PausedEviction {
 public:
  // Takes the report of a pass. Returns whether it reports another wait than the pass before.
  bool Take(const CycleReport& report, Instant now);
  // Ends the wait if none of the thresholds of its signal is overdue.
  void EndUnless(std::span<const Threshold> thresholds, ThresholdSet overdue);

  [[nodiscard]] const std::optional<EvictionPause>& pause() const { return pause_; }
  // Whether it is one for a disk whose time has not come.
  [[nodiscard]] bool IsForDisk(Instant now) const;
  // Whether it waits for the pace of all evictions, not of soft ones alone.
  [[nodiscard]] bool IsForPace() const { return pause_ && !IsOfSoft(pause_->reason); }
  // Whether a pass with this result would only repeat what has been reported.
  [[nodiscard]] bool IsTold(Signal signal, const EvictionPause& pause, Instant now) const;

 private:
  std::optional<EvictionPause> pause_;
  Signal signal_ = Signal::kMemoryAvailable;
  Instant told_at_;
};

}  // namespace jettison
