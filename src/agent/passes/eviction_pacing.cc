#include "agent/passes/eviction_pacing.h"

#include <algorithm>
#include <array>

#include "agent/passes/pass_log.h"
#include "core/decide/eviction_order.h"
#include "core/decide/ranking.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

// A pause whose reason alternates is reported no more often than this.
constexpr Duration kReportSpacing = std::chrono::milliseconds(100);

std::int64_t LineOf(const PacedPass& pass) {
  const std::int64_t capacity = pass.plan.observations[pass.threshold.signal]->capacity;
  return QuantityOf(pass.threshold.value, capacity).Value();
}

}  // namespace

void EvictionPacing::Evicted(const std::vector<std::string>& pods, bool hard, Instant now) {
  pace_.Evicted(hard, now);
  if (pods.empty()) return pace_.CleanedUp(true, now);
  for (const std::string& pod : pods) {
    if (std::ranges::find(wait_.pods, pod) == wait_.pods.end()) wait_.pods.push_back(pod);
  }
  wait_.hard = wait_.hard || hard;
  wait_.deadline = now + kCleanupTimeout;
  followed_since_ = now;
}

std::optional<bool> EvictionPacing::CheckCleanup(Instant now) {
  if (!awaits()) return std::nullopt;
  std::erase_if(wait_.pods,
                [&](const std::string& pod) { return dependencies_.pods.IsCleanedUp(pod); });
  const bool all_gone = !awaits();
  if (!all_gone && now < wait_.deadline) return std::nullopt;
  wait_.pods.clear();
  wait_.hard = false;
  pace_.CleanedUp(all_gone, now);
  return all_gone;
}

ThresholdSet EvictionPacing::Allowed(std::span<const Threshold> thresholds) const {
  ThresholdSet allowed;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    allowed[i] = !awaits() || thresholds[i].IsHard();
  }
  return allowed;
}

void EvictionPacing::Resume(const SavedWait& saved, Instant now) {
  if (saved.pods.empty()) return;
  wait_ = saved;
  wait_.deadline = std::min(saved.deadline, now + kCleanupTimeout);
  pace_.Evicted(saved.hard, wait_.deadline - kCleanupTimeout);
  followed_since_ = now;
}

bool EvictionPacing::PassDone(const CycleReport& report, Instant now) {
  if (report.pause && !pause_ && !awaits()) followed_since_ = now;
  const bool is_new = report.pause && (!pause_ || pause_->reason != report.pause->reason ||
                                       paused_for_ != report.acting_for->signal);
  // A pass without new figures says nothing about the pause.
  const bool unsaid = !report.acting_for && report.evictions.empty() &&
                      report.evaluation.overdue.any() && report.evaluation.acting.none();
  if (!unsaid) pause_ = report.pause;
  if (report.pause) {
    paused_for_ = report.acting_for->signal;
    pause_reported_at_ = now;
  }
  return is_new;
}

void EvictionPacing::EndPauseUnless(std::span<const Threshold> thresholds, ThresholdSet overdue) {
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (thresholds[i].signal == paused_for_ && overdue[i]) return;
  }
  pause_.reset();
}

bool EvictionPacing::PauseIsForDisk(Instant now) const {
  return pause_ && ConditionOf(paused_for_) == NodeConditionType::kDiskPressure &&
         now < pause_->until;
}

bool EvictionPacing::PausesDisk(bool hard, Instant now) const {
  return PauseIsForDisk(now) && (!hard || PauseIsForPace());
}

bool EvictionPacing::IsReported(Signal signal, const EvictionPause& pause, Instant now) const {
  if (!pause_ || signal != paused_for_) return false;
  const bool same_reason = pause.reason == pause_->reason;
  if (!IsOfSoft(pause.reason)) return same_reason || now < pause_reported_at_ + kReportSpacing;
  return same_reason && (pause.until == pause_->until || pause.reason == PaceReason::kAsked);
}

std::optional<Instant> EvictionPacing::FollowedSince(Instant now) const {
  const bool waits = PauseIsForPace() && !PauseIsForDisk(now);
  return pace_.AwaitsHard() || waits ? std::optional(followed_since_) : std::nullopt;
}

void EvictionPacing::ReadEnding() {
  ending_.clear();
  ending_stats_.clear();
  if (!awaits()) return;
  for (const EndingPod& pod : dependencies_.pods.Ending()) ending_.push_back(pod.facts);
  dependencies_.figures.ReadPods(ending_, nullptr, ending_stats_);
}

std::optional<std::int64_t> EvictionPacing::UsageOfEnding(const PodFacts* facts, Signal signal,
                                                          DiskLayout layout) const {
  for (std::size_t i = 0; i < ending_.size(); ++i) {
    if (ending_[i] != facts || !ending_stats_[i].has_memory) continue;
    return UsageOf({.facts = facts, .stats = &ending_stats_[i]}, signal, layout);
  }
  return std::nullopt;
}

std::int64_t EvictionPacing::HeldByEnding() const {
  std::int64_t sum = 0;
  for (const PodStats& stats : ending_stats_) {
    sum += static_cast<std::int64_t>(stats.memory_working_set_bytes.value_or(0));
  }
  return sum;
}

std::vector<PodAmount> EvictionPacing::HoldersOf(const PacedPass& pass) const {
  const Signal signal = pass.threshold.signal;
  std::vector<PodAmount> holders;
  const auto add = [&](const PodFacts* facts, std::optional<std::int64_t> usage, bool ending) {
    if (!usage) return;
    holders.push_back({.identity = facts->identity, .amount = *usage, .ending = ending});
  };
  for (const ActivePod& pod : pass.pods) {
    if (MayGo(pod, signal)) add(pod.facts, UsageOf(pod, signal, pass.layout), false);
  }
  for (const PodFacts* const facts : ending_) {
    add(facts, UsageOfEnding(facts, signal, pass.layout), true);
  }
  return holders;
}

PaceInput EvictionPacing::InputOf(const PacedPass& pass) {
  const Signal signal = pass.threshold.signal;
  if (IsForeseen(signal)) pace_.Held(signal, LineOf(pass), HoldersOf(pass));
  PaceInput input = InputFor(signal, pass.next_by_clock, pass.plan.now);
  input.soft = pass.soft;
  return input;
}

// For a disk, the removal of any pod delays the next eviction as an eviction does, because it frees
// space, too.
PaceInput EvictionPacing::InputFor(Signal signal, std::optional<Instant> next_by_clock,
                                   Instant now) const {
  PaceInput input = pace_.InputFor(signal, next_by_clock, now);
  const bool is_disk = ConditionOf(signal) == NodeConditionType::kDiskPressure;
  if (is_disk && dependencies_.pods.AnyIsBeingRemoved(now)) {
    input.kubelet_decides = std::max(input.kubelet_decides.value_or(now), now + kCleanupPoll);
  }
  return input;
}

std::size_t EvictionPacing::Hasten(const Observations& seen, DiskLayout layout, Instant now) {
  constexpr std::array kHastenedFor = {Signal::kMemoryAvailable,
                                       Signal::kAllocatableMemoryAvailable, Signal::kPidAvailable};
  if (!pace_.AwaitsHard()) return 0;
  const std::size_t before = kills_.size();
  for (const Signal signal : kHastenedFor) {
    if (seen[signal]) HastenFor(signal, seen[signal]->available, layout, now);
  }
  for (std::size_t i = before; i < kills_.size(); ++i) {
    PassLog(dependencies_).KilledEarly(kills_[i]);
  }
  return kills_.size() - before;
}

void EvictionPacing::HastenFor(Signal signal, std::int64_t left, DiskLayout layout, Instant now) {
  const std::int64_t growth = pace_.GrowthOf(signal);
  for (const EndingPod& pod : dependencies_.pods.Ending()) {
    if (!pod.kill_at || now >= *pod.kill_at) continue;
    const bool must = MustKillNow({.left = left,
                                   .growth = growth,
                                   .now = now,
                                   .kill_at = *pod.kill_at,
                                   .usage = UsageOfEnding(pod.facts, signal, layout)});
    if (!must || !dependencies_.pods.KillNow(pod.facts->pod.uid, now)) continue;
    kills_.push_back({.pod_uid = pod.facts->pod.uid,
                      .signal = signal,
                      .at = now,
                      .after = Elapsed(pod.evicted_at, now),
                      .grace = Elapsed(pod.evicted_at, *pod.kill_at),
                      .left = left,
                      .growth = growth});
  }
}

std::optional<PaceInput> EvictionPacing::InputNow(std::optional<Instant> next_by_clock,
                                                  Instant now) const {
  if (!input_) return std::nullopt;
  PaceInput input = InputFor(input_->signal, next_by_clock, now);
  input.soft = input_->soft;
  return input;
}

}  // namespace jettison
