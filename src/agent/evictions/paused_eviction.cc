#include "agent/evictions/paused_eviction.h"

namespace jettison {
namespace {

// A pause whose reason alternates is reported no more often than this.
constexpr Duration kToldSpacing = std::chrono::milliseconds(100);

}  // namespace

bool PausedEviction::Take(const CycleReport& report, Instant now) {
  const bool is_new = report.pause && (!pause_ || pause_->reason != report.pause->reason ||
                                       signal_ != report.acting_for->signal);
  // A pass without new figures says nothing about the pause.
  const bool unsaid = !report.acting_for && report.evictions.empty() &&
                      report.evaluation.overdue.any() && report.evaluation.acting.none();
  if (!unsaid) pause_ = report.pause;
  if (report.pause) {
    signal_ = report.acting_for->signal;
    told_at_ = now;
  }
  return is_new;
}

void PausedEviction::EndUnless(std::span<const Threshold> thresholds, ThresholdSet overdue) {
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (thresholds[i].signal == signal_ && overdue[i]) return;
  }
  pause_.reset();
}

bool PausedEviction::IsForDisk(Instant now) const {
  return pause_ && ConditionOf(signal_) == NodeConditionType::kDiskPressure && now < pause_->until;
}

bool PausedEviction::IsTold(Signal signal, const EvictionPause& pause, Instant now) const {
  if (!pause_ || signal != signal_) return false;
  if (IsOfSoft(pause.reason)) {
    const bool same_time = pause.until == pause_->until || pause.reason == PaceReason::kAsked;
    return pause.reason == pause_->reason && same_time;
  }
  return pause.reason == pause_->reason || now < told_at_ + kToldSpacing;
}

}  // namespace jettison
