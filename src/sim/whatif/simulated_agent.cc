#include "sim/whatif/simulated_agent.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ranges>
#include <utility>

#include "core/decide/decide.h"
#include "core/evaluate/evaluate.h"
#include "sim/replay.h"

namespace jettison {
namespace {

// For this long after an eviction, the agent does not know how fast memory is taken.
constexpr Duration kGrowthTakes = std::chrono::milliseconds(25);

// Where the same pass was recorded, kills and reclaims end as they did then; else (null) every kill
// succeeds, and a reclaim frees nothing.
ImaginedNode NodeOf(const RecordedPass* recorded) {
  if (recorded == nullptr) {
    return {[](const EvictionOrder&) { return EvictOutcome::kEnding; }, std::nullopt};
  }
  const auto kill = [recorded](const EvictionOrder& order) -> Result<EvictOutcome> {
    const auto& evictions = recorded->report.evictions;
    const auto same = std::ranges::find(
        evictions, order.pod_uid, [](const EvictionRecord& each) { return each.order.pod_uid; });
    if (same == evictions.end()) return EvictOutcome::kEnding;
    if (same->kill_error) return Fail(ErrorCode::kInternal, *same->kill_error);
    return same->outcome.value_or(EvictOutcome::kEnding);
  };
  const auto& after = recorded->after_reclaim;
  return {kill, after ? after->node : recorded->summary.node, recorded->report.reclaim_under_way};
}

// A watch pass does not check storage limits, and while evicted pods are awaited hard thresholds
// come first; otherwise each pass has the policy of a full one.
bool DecideAlike(const PassPolicy& a, const PassPolicy& b) {
  return a.thresholds == b.thresholds && a.layout == b.layout &&
         a.pressure_transition_period == b.pressure_transition_period &&
         a.max_pod_grace_period_seconds == b.max_pod_grace_period_seconds;
}

// The last of the thresholds that are equal to the one acted for.
std::optional<std::size_t> ActedFor(const std::vector<Threshold>& thresholds,
                                    const CycleReport& report) {
  if (!report.acting_for) return std::nullopt;
  for (std::size_t i = thresholds.size(); i-- > 0;) {
    if (IsSameLine(thresholds[i], *report.acting_for)) return i;
  }
  return std::nullopt;
}

}  // namespace

void SimulatedAgent::TakePolicy(const RecordedPass& recorded) {
  if (recorded.policy == base_) return;
  const bool is_first = std::exchange(base_, recorded.policy) == nullptr;
  if (is_first || (!candidate_->policy_for && !DecideAlike(policy_, *base_))) {
    PassPolicy policy = candidate_->policy_for ? candidate_->policy_for(*base_) : *base_;
    if (!is_first) state_ = CarryOver(state_, policy_.thresholds, policy.thresholds);
    policy_ = std::move(policy);
  }
  as_recorded_ = DecideAlike(policy_, *base_);
}

void SimulatedAgent::Begin(const RecordedPass& recorded, Instant at) {
  TakePolicy(recorded);
  pace_ = {};
  gone_.reset();
  paused_until_.reset();
  state_ = CarryOver(recorded.before, recorded.policy->thresholds, policy_.thresholds);
  for (std::size_t i = 0; i < met_.size(); ++i) {
    met_[i].reset();
    if (const auto since = state_.first_observed_at[i]) met_[i] = {*since, *since, *since};
  }
  last_pass_ = at;
}

void SimulatedAgent::Advance(Instant to) {
  if (paused_until_ && to >= *paused_until_) paused_until_.reset();
  if (!gone_ || to < *gone_) return;
  pace_.CleanedUp(true, *gone_);
  gone_.reset();
}

// A pass that is made again with what it began with comes to the same.
std::optional<CycleReport> SimulatedAgent::RepeatPass(const VirtualSegment& view) {
  const Frame& to = view.segment().to();
  const RecordedPass& pass = *to.pass;
  last_pass_ = to.at;
  may_let_back_ = true;
  NoteMet(view, pass.report.evaluation, to.at);
  state_ = pass.report.evaluation.next;
  if (pass.report.evictions.empty()) return std::nullopt;
  MarkEviction(pass.report.observations, pass.report.at, state_);
  return pass.report;
}

std::optional<CycleReport> SimulatedAgent::MakePass(const VirtualSegment& view, const Look& look) {
  ReadingPlan plan{.now = look.at, .observations = SeenAt(view, look.at)};
  plan.evaluation = Evaluate(policy_, state_, plan.observations, look.at);
  if (gone_) {
    plan.evaluation.acting = HardFirst(policy_.thresholds, plan.evaluation.acting);
  }
  for (std::size_t i = 0; i < policy_.thresholds.size(); ++i) {
    plan.may_act[i] = plan.evaluation.acting[i] && (!gone_ || policy_.thresholds[i].IsHard());
  }
  plan.threshold = MostUrgent(policy_.thresholds, plan.may_act);
  if (gone_ && !plan.threshold) return std::nullopt;
  NoteMet(view, plan.evaluation, look.at);
  if (look.by_clock) last_pass_ = look.at;
  may_let_back_ = true;
  if (!plan.threshold && !look.breaks_limits) {
    state_ = plan.evaluation.next;
    return std::nullopt;
  }
  return Act(view, look, plan);
}

// An amount on the line counts as below it, because a look within a segment is made for the
// crossing.
Observations SimulatedAgent::SeenAt(const VirtualSegment& view, Instant at) const {
  Observations seen = view.SeenAt(at);
  if (at >= view.segment().to().at) return seen;
  for (std::size_t i = 0; i < policy_.thresholds.size(); ++i) {
    const Signal signal = policy_.thresholds[i].signal;
    auto& each = seen[signal];
    if (!each || !IsWatched(signal)) continue;
    if (each->available == LineOf(policy_.thresholds[i], each->capacity)) --each->available;
  }
  return seen;
}

std::optional<CycleReport> SimulatedAgent::Act(const VirtualSegment& view, const Look& look,
                                               const ReadingPlan& plan) {
  const Frame& to = view.segment().to();
  const bool is_recorded = look.at >= to.at && to.pass;
  view.ActivePodsAt(look.at, stats_, active_);
  PassPolicy policy = policy_;
  if (!look.breaks_limits || !is_recorded) policy.local_storage_capacity_isolation = false;
  const PassDecision decision = DecidePass(policy, plan, active_, [&](std::size_t i) {
    return PaceFor(view, look, policy.thresholds[i].signal);
  });
  ImaginedNode as_recorded = NodeOf(is_recorded ? to.pass.get() : nullptr);
  NodePorts ports{.killer = as_recorded, .reclaimer = as_recorded, .summaries = as_recorded};
  CycleReport report = CarryOut(
      {.policy = policy, .plan = plan, .decision = decision, .pods = active_}, ports, state_);
  paused_until_.reset();
  if (report.pause) paused_until_ = report.pause->until;
  if (report.evictions.empty()) return std::nullopt;
  return report;
}

PaceInput SimulatedAgent::PaceFor(const VirtualSegment& view, const Look& look,
                                  Signal signal) const {
  const WhatIfNode& node = view.node();
  PaceInput pace{.signal = signal, .kubelet_decides = pace_.KubeletDecides(look.at)};
  if (!look.by_clock) {
    pace.next_by_clock = last_pass_.value_or(look.at) + node.settings.monitoring_interval;
  }
  if (ResourceOf(signal) != Resource::kMemory) return pace;
  for (const VirtualPod& pod : view.pods() | std::views::values) {
    if (pod.is != VirtualPod::Is::kEnding) continue;
    pace.ending += std::llround(pod.MemoryAt(look.at));
  }
  if (last_eviction_ && Elapsed(*last_eviction_, look.at) < kGrowthTakes) return pace;
  view.MeasureGrowth(look.at, active_, pace);
  return pace;
}

void SimulatedAgent::NoteMet(const VirtualSegment& view, const Evaluation& evaluation, Instant at) {
  for (std::size_t i = 0; i < policy_.thresholds.size(); ++i) {
    if (!evaluation.met[i]) {
      met_[i].reset();
    } else if (!met_[i]) {
      met_[i] = BoundsAt(view, at, std::nullopt);
    }
  }
}

TimeBounds SimulatedAgent::BoundsAt(const VirtualSegment& view, Instant at,
                                    const std::optional<TimeBounds>& met) const {
  if (IsInStep(view)) return {at, at, at};
  return view.BoundsAt(at, met);
}

SimulatedEviction SimulatedAgent::Tell(const VirtualSegment& view,
                                       const CycleReport& report) const {
  SimulatedEviction told;
  const auto threshold = ActedFor(policy_.thresholds, report);
  told.when = BoundsAt(view, report.at, threshold ? met_[*threshold] : std::nullopt);
  if (!threshold) return told;
  const Threshold& line = policy_.thresholds[*threshold];
  told.signal = line.signal;
  told.soft = !line.IsHard();
  if (const auto& seen = report.observations[line.signal]) {
    told.available = seen->available;
    told.line = LineOf(line, seen->capacity);
  }
  return told;
}

void SimulatedAgent::NoteEviction(const CycleReport& report, const EvictionRecord& eviction,
                                  std::optional<Instant> gone) {
  last_eviction_ = report.at;
  if (!gone) return;
  constexpr std::int64_t kHardGraceSeconds = 1;
  const bool hard = eviction.order.grace_period_seconds <= kHardGraceSeconds;
  pace_.Evicted(hard, report.at);
  gone_ = std::max(gone_.value_or(*gone), *gone);
}

bool SimulatedAgent::IsInStep(const VirtualSegment& view) const {
  return as_recorded_ && !view.node().blind && view.pods().empty() &&
         view.segment().to().pass != nullptr;
}

bool SimulatedAgent::IsQuiet() const {
  return !gone_ && state_.met.none() && state_.conditions.Empty() &&
         std::ranges::none_of(state_.first_observed_at,
                              [](const auto& since) { return since.has_value(); });
}

bool SimulatedAgent::IsDue(Instant now, Duration interval) const {
  return last_pass_ && Elapsed(*last_pass_, now) >= interval;
}

Instant SimulatedAgent::NextStop(Instant now, Instant end, std::optional<Duration> interval) const {
  Instant next = end;
  const auto consider = [&](std::optional<Instant> at) {
    if (at && *at > now) next = std::min(next, *at);
  };
  for (const auto& at : {pace_.KubeletDecides(now), gone_, paused_until_}) consider(at);
  for (std::size_t i = 0; i < policy_.thresholds.size(); ++i) {
    const auto& since = state_.first_observed_at[i];
    const Threshold& threshold = policy_.thresholds[i];
    if (since && !threshold.IsHard()) consider(Later(*since, threshold.grace_period));
  }
  if (interval && last_pass_) consider(*last_pass_ + *interval);
  return next;
}

}  // namespace jettison
