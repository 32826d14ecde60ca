#include <algorithm>
#include <span>
#include <utility>

#include "agent/node.h"
#include "agent/pass_log.h"
#include "decide/decide.h"
#include "decide/pod_usage.h"
#include "decide/ranking.h"
#include "model/pressure.h"

// How the node keeps evictions to their pace, and how it hastens those under way.

namespace jettison {
namespace {

using std::chrono::milliseconds;

// While pods end and while an eviction waits memory is looked at this often: at first, and when
// that has gone on for some time.
constexpr Duration kPaceSpacing = milliseconds(5);
constexpr Duration kLongestPaceSpacing = milliseconds(20);
// Counting process ids opens files.
constexpr Duration kPidSpacing = milliseconds(20);
// A wait whose reason changes to and fro is told no more often than this.
constexpr Duration kToldSpacing = milliseconds(100);

bool IsDiskSignal(Signal signal) {
  return ConditionOf(signal) == NodeConditionType::kDiskPressure;
}

bool IsOverdue(std::span<const Threshold> thresholds, const Evaluation& evaluation, Signal signal) {
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (thresholds[i].signal == signal && evaluation.overdue[i]) return true;
  }
  return false;
}

}  // namespace

// Right after the node's own figures, since what an ending pod gives back is in both of them.
void Node::ReadEnding() {
  ending_.clear();
  ending_stats_.clear();
  if (!standing_.wait.active()) return;
  for (const PodTable::EndingPod& pod : edges_.pods.Ending()) ending_.push_back(pod.facts);
  edges_.figures.ReadMemoryOf(ending_, ending_stats_);
}

// Adds up what pods that may go and pods that end hold; whether these are the same pods as the last
// time. `scratch_` is joined.
bool Node::HoldsOfPods(Signal signal, HeldAmounts& held) {
  std::vector<const PodFacts*> holders = std::exchange(held_by_, {});
  const std::size_t before = holders.size();
  std::size_t count = 0;
  bool same = true;
  const auto add = [&](const ActivePod& pod, std::int64_t& sum) {
    const auto usage = UsageOf(pod, signal, settings_.policy.layout);
    if (!usage) return;
    sum += *usage;
    same = same && count < before && holders[count] == pod.facts;
    if (count < holders.size()) {
      holders[count] = pod.facts;
    } else {
      holders.push_back(pod.facts);
    }
    ++count;
  };
  for (const ActivePod& pod : scratch_) {
    if (MayGo(pod, signal)) add(pod, held.pods);
  }
  for (std::size_t i = 0; i < ending_.size(); ++i) {
    if (ending_stats_[i].has_memory) add({ending_[i], &ending_stats_[i]}, held.ending);
  }
  same = same && count == before;
  holders.resize(count);
  held_by_ = std::move(holders);
  return same;
}

// For a pass that would act for this threshold, whose pods have just been read.
void Node::PreparePace(std::optional<std::size_t> threshold, std::optional<Instant> next_by_clock,
                       Instant now) {
  const Observations seen = ObservationsFrom(summary_);
  pace_.Seen(seen, now);
  pace_input_.reset();
  if (!threshold) return;
  const Signal signal = settings_.policy.thresholds[*threshold].signal;
  if (ResourceOf(signal) == Resource::kPids && !ending_.empty()) {
    edges_.figures.ReadPods(ending_, nullptr, ending_stats_);
  }
  JoinStats(edges_.pods.Active(), summary_, scratch_);
  if (!IsDiskSignal(signal) && !IsPressure(signal)) {
    HeldAmounts held;
    const bool same = HoldsOfPods(signal, held);
    pace_.Held(signal, *seen[signal], held, same, now);
  }
  pace_input_ = pace_.InputFor(signal, next_by_clock, now);
}

bool Node::DiskIsPaused(Instant now) const {
  return pause_ && IsDiskSignal(paused_for_) && now < pause_->until;
}

// Whether a pass now would say again that the eviction waits, and nothing else.
bool Node::IsToldPause(std::optional<std::size_t> threshold, Instant now) const {
  if (!threshold || !pause_ || !pace_input_) return false;
  const Signal signal = settings_.policy.thresholds[*threshold].signal;
  if (signal != paused_for_) return false;
  const auto victim = FirstVictim(scratch_, signal, settings_.policy.layout);
  if (!victim) return false;
  const auto pause = PauseBefore({.threshold = settings_.policy.thresholds[*threshold],
                                  .seen = *ObservationsFrom(summary_)[signal],
                                  .pods = scratch_,
                                  .victim = *victim,
                                  .layout = settings_.policy.layout,
                                  .now = now},
                                 *pace_input_);
  return pause && (pause->reason == pause_->reason || now < pause_told_at_ + kToldSpacing);
}

// When a pass is over: what it says of the next eviction, and of who holds the memory.
void Node::TakePause(const CycleReport& report, Instant now) {
  if (!summary_.pods.empty() || edges_.pods.Active().empty()) {
    std::int64_t ending = 0;
    for (const PodStats& stats : ending_stats_) {
      ending += static_cast<std::int64_t>(stats.memory_working_set_bytes.value_or(0));
    }
    holders_ = HoldersOf(summary_.node, scratch_, ending);
  }
  const bool is_new = report.pause && (!pause_ || pause_->reason != report.pause->reason ||
                                       paused_for_ != report.acting_for->signal);
  if (is_new) ++counters_.waits[static_cast<std::size_t>(report.pause->reason)];
  if (report.pause && !pause_ && !standing_.wait.active()) pace_since_ = now;
  // Figures that are no newer than those of the pass before say nothing of it.
  const bool unsaid =
      !report.acting_for && report.evictions.empty() && report.evaluation.overdue.any();
  if (!unsaid) pause_ = report.pause;
  if (report.pause) paused_for_ = report.acting_for->signal;
  if (is_new) LogPause(*report.pause, edges_.pods, edges_.log);
  if (report.pause) {
    pause_told_at_ = now;
    // Looked at anew by a full pass: the kubelet would look at everything. Where pods are awaited,
    // that is asked for when they are gone.
    if (!standing_.wait.active()) scheduler_.Request(pause_->until);
  }
  if (holders_) LogHolders(report, *holders_, is_new, edges_.log);
  PlanPaceLook(now);
}

void Node::PlanPaceLook(Instant now) {
  pace_due_.reset();
  if (!standing_.wait.hard() && !pause_) return;
  const Duration long_since = Elapsed(pace_since_, now) / 20;
  pace_due_ = now + std::clamp(long_since, kPaceSpacing, kLongestPaceSpacing);
}

void Node::LookAtPace() {
  const Instant now = edges_.clock.Now();
  ++counters_.looks;
  if (now < pids_due_) {
    edges_.figures.ReadNodeMemory(summary_.node);
  } else {
    summary_.node = edges_.figures.ReadNode();
    pids_due_ = now + kPidSpacing;
  }
  const Observations seen = ObservationsFrom(summary_);
  pace_.Seen(seen, now);
  HastenKills(seen, now);
  const Evaluation evaluation =
      Evaluate(settings_.policy.thresholds, settings_.policy.pressure_transition_period,
               standing_.state, seen, now);
  if (pause_ && !IsOverdue(settings_.policy.thresholds, evaluation, paused_for_)) pause_.reset();
  PlanPaceLook(now);
  // An eviction for a disk is looked at by passes only.
  if (!WithoutDisks(settings_.policy.thresholds, evaluation.acting).any()) return;
  woken_at_ = now;
  WatchPass();
  woken_at_.reset();
}

// What a pod that is ending holds of what the signal counts; absent: not known.
std::optional<std::int64_t> Node::HeldByEnding(const PodFacts* facts, Signal signal) const {
  const auto found = std::ranges::find(ending_, facts);
  if (found == ending_.end()) return std::nullopt;
  const PodStats& stats = ending_stats_[static_cast<std::size_t>(found - ending_.begin())];
  if (!stats.has_memory) return std::nullopt;
  return UsageOf({facts, &stats}, signal, settings_.policy.layout);
}

// Kills pods that are ending where what is left would not last for their grace periods. All words
// about it come afterwards.
void Node::HastenKills(const Observations& seen, Instant now) {
  if (!standing_.wait.hard()) return;
  const std::size_t told = early_kills_.size();
  bool is_read = false;  // what they hold
  for (const Signal signal :
       {Signal::kMemoryAvailable, Signal::kAllocatableMemoryAvailable, Signal::kPidAvailable}) {
    if (!seen[signal]) continue;
    const std::int64_t left = seen[signal]->available;
    const std::int64_t growth = pace_.GrowthOf(signal);
    for (const PodTable::EndingPod& pod : edges_.pods.Ending()) {
      if (!pod.kill_at || now >= *pod.kill_at) continue;
      EndingQuestion question{
          .left = left, .growth = growth, .now = now, .kill_at = *pod.kill_at, .held = {}};
      if (LastsItsGrace(question)) continue;
      if (!std::exchange(is_read, true)) {
        ReadEnding();
        edges_.figures.ReadPods(ending_, nullptr, ending_stats_);
      }
      question.held = HeldByEnding(pod.facts, signal);
      if (!MustKillNow(question)) continue;
      if (!edges_.pods.KillNow(pod.facts->pod.uid, now)) continue;
      early_kills_.push_back({.pod_uid = pod.facts->pod.uid,
                              .signal = signal,
                              .at = now,
                              .after = Elapsed(pod.evicted_at, now),
                              .grace = Elapsed(pod.evicted_at, *pod.kill_at),
                              .left = left,
                              .growth = growth});
    }
  }
  counters_.early_kills += early_kills_.size() - told;
  for (std::size_t i = told; i < early_kills_.size(); ++i) {
    LogEarlyKill(early_kills_[i], edges_.pods, edges_.events, edges_.log);
  }
}

}  // namespace jettison
