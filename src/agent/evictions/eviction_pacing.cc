#include "agent/evictions/eviction_pacing.h"

#include <algorithm>
#include <array>

#include "agent/evictions/pass_log.h"
#include "core/decide/eviction_order.h"
#include "core/decide/ranking.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

// A pause whose reason alternates is reported no more often than this.
constexpr Duration kReportSpacing = std::chrono::milliseconds(100);

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

bool PausedEviction::IsReported(Signal signal, const EvictionPause& pause, Instant now) const {
  if (!pause_ || signal != signal_) return false;
  if (IsOfSoft(pause.reason)) {
    const bool same_time = pause.until == pause_->until || pause.reason == PaceReason::kAsked;
    return pause.reason == pause_->reason && same_time;
  }
  return pause.reason == pause_->reason || now < told_at_ + kReportSpacing;
}

void EvictionPacing::Resume(const SavedWait& wait, Instant began, Instant now) {
  for (const Resource resource : wait.hard_for) {
    Evicted(resource, true, std::chrono::seconds(kHardEvictionGracePeriodSeconds), began);
  }
  followed_since_ = now;
}

void EvictionPacing::ReadEnding(bool awaited) {
  ending_.clear();
  ending_stats_.clear();
  if (!awaited) return;
  for (const EndingPod& pod : dependencies_.pods.Ending()) ending_.push_back(pod.facts);
  dependencies_.figures.ReadMemoryOf(ending_, ending_stats_);
}

std::vector<ActivePod> EvictionPacing::KnownEnding() const {
  std::vector<ActivePod> known;
  for (std::size_t i = 0; i < ending_.size(); ++i) {
    const PodStats& stats = ending_stats_[i];
    if (stats.has_memory) known.push_back({.facts = ending_[i], .stats = &stats});
  }
  return known;
}

std::int64_t EvictionPacing::HeldByEnding() const {
  std::int64_t sum = 0;
  for (const PodStats& stats : ending_stats_) {
    sum += static_cast<std::int64_t>(stats.memory_working_set_bytes.value_or(0));
  }
  return sum;
}

UsageSample EvictionPacing::SampleOf(const PacedPass& pass) const {
  UsageSample sample{
      .signal = pass.signal, .seen = pass.seen, .line = pass.line, .pods = {}, .at = pass.now};
  const auto add = [&](const ActivePod& pod, bool is_ending) {
    if (const auto usage = UsageOf(pod, pass.signal, pass.layout)) {
      sample.pods.push_back(
          {.identity = pod.facts->identity, .amount = *usage, .ending = is_ending});
    }
  };
  for (const ActivePod& pod : pass.pods) {
    if (MayGo(pod, pass.signal)) add(pod, false);
  }
  for (const ActivePod& pod : KnownEnding()) add(pod, true);
  return sample;
}

PaceInput EvictionPacing::InputOf(const PacedPass& pass) {
  if (ResourceOf(pass.signal) == Resource::kPids) ReadAllOfEnding();
  if (IsForeseen(pass.signal)) pace_.Add(SampleOf(pass));
  PaceInput input = InputFor(pass.signal, pass.next_by_clock, pass.now);
  input.soft = soft_;
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

std::optional<PaceInput> EvictionPacing::InputInstead(const PacedPass& pass) {
  const auto kubelet_decides = pace_.KubeletDecides(pass.signal, pass.now);
  if (kubelet_decides && pass.now < *kubelet_decides) return std::nullopt;
  if (ResourceOf(pass.signal) == Resource::kPids) ReadAllOfEnding();
  std::int64_t ending = 0;
  if (IsForeseen(pass.signal)) {
    for (const ActivePod& pod : KnownEnding()) {
      ending += UsageOf(pod, pass.signal, pass.layout).value_or(0);
    }
  }
  if (ending > 0 && pass.seen.available + ending >= pass.line) return std::nullopt;
  return PaceInput{.signal = pass.signal, .next_by_clock = pass.next_by_clock, .ending = ending};
}

bool EvictionPacing::PassDone(const CycleReport& report, bool awaited, Instant now) {
  if (report.pause && !paused_.pause() && !awaited) followed_since_ = now;
  return paused_.Take(report, now);
}

std::size_t EvictionPacing::Hasten(const Observations& seen, DiskLayout layout, Instant now) {
  constexpr std::array kHastenedFor = {Signal::kMemoryAvailable,
                                       Signal::kAllocatableMemoryAvailable, Signal::kPidAvailable};
  const std::size_t before = kills_.size();
  for (const Signal signal : kHastenedFor) {
    if (seen[signal]) HastenFor(signal, seen[signal]->available, layout, now);
  }
  for (std::size_t i = before; i < kills_.size(); ++i) {
    LogEarlyKill(kills_[i], dependencies_.pods, dependencies_.events, dependencies_.log);
  }
  return kills_.size() - before;
}

void EvictionPacing::HastenFor(Signal signal, std::int64_t left, DiskLayout layout, Instant now) {
  const std::int64_t growth = pace_.GrowthOf(signal);
  bool is_read = false;
  for (const EndingPod& pod : dependencies_.pods.Ending()) {
    if (!pod.kill_at || now >= *pod.kill_at) continue;
    EndingQuestion question{
        .left = left, .growth = growth, .now = now, .kill_at = *pod.kill_at, .usage = {}};
    if (!MustKillNow(question)) continue;
    if (!std::exchange(is_read, true)) {
      ReadEnding(true);
      ReadAllOfEnding();
    }
    for (const ActivePod& known : KnownEnding()) {
      if (known.facts == pod.facts) question.usage = UsageOf(known, signal, layout);
    }
    if (!MustKillNow(question) || !dependencies_.pods.KillNow(pod.facts->pod.uid, now)) continue;
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
