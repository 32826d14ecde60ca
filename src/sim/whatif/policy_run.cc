#include "sim/whatif/policy_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/decide/decide.h"
#include "core/evaluate/carry_over.h"
#include "core/pods/pod_requests.h"
#include "sim/whatif/oom_choice.h"
#include "sim/whatif/sim_edges.h"

namespace jettison {
namespace {

using std::chrono::seconds;

// Courses that are made up are looked at so often, and no more often than so many times a segment.
constexpr Duration kFinestStep = seconds(1);
constexpr int kMostSteps = 128;
// After an eviction the agent does not know for so long how fast memory is taken.
constexpr Duration kGrowthTakes = std::chrono::milliseconds(100);
// So near to each other an eviction of the simulation and one of the recording are the same.
constexpr Duration kSameEviction = std::chrono::milliseconds(250);

bool AreSame(const std::vector<Threshold>& a, const std::vector<Threshold>& b) {
  return std::ranges::equal(a, b, [](const Threshold& x, const Threshold& y) {
    return IsSameLine(x, y) && x.grace_period == y.grace_period && x.min_reclaim == y.min_reclaim;
  });
}

bool DecideAlike(const PassPolicy& a, const PassPolicy& b) {
  return AreSame(a.thresholds, b.thresholds) && a.hard_first == b.hard_first &&
         a.layout == b.layout && a.pressure_transition_period == b.pressure_transition_period &&
         a.max_pod_grace_period_seconds == b.max_pod_grace_period_seconds;
}

Resource ResourceActedFor(const CycleReport& report) {
  return report.ranked_for ? ResourceOf(*report.ranked_for) : Resource::kEphemeralStorage;
}

std::optional<std::int64_t> MemoryLimitOf(const PodFacts& facts) {
  const auto limit = EffectiveLimit(facts.pod, "memory");
  if (!limit || limit->Sign() <= 0) return std::nullopt;
  return limit->Value();
}

}  // namespace

PolicyRun::PolicyRun(const CandidatePolicy& candidate) : candidate_(&candidate) {
  outcome_.name = candidate.name;
}

void PolicyRun::SetPolicy(PassPolicy policy) {
  if (lines_) state_ = CarryOver(state_, policy_.thresholds, policy.thresholds);
  policy_ = std::move(policy);
  lines_.emplace(policy_.thresholds);
}

// A watch pass has no storage limits; otherwise its policy is that of a full one.
void PolicyRun::TakePolicy(const RecordedPass& recorded) {
  if (recorded.policy == base_) return;
  base_ = recorded.policy;
  if (!lines_ || (!candidate_->of && !DecideAlike(policy_, *base_))) {
    SetPolicy(candidate_->of ? candidate_->of(*base_) : *base_);
  }
  as_recorded_ = DecideAlike(policy_, *base_);
}

void PolicyRun::Begin(const WhatIfNode& node, const Frame& frame) {
  if (!frame.pass) return;
  TakePolicy(*frame.pass);
  pods_.Clear();
  pace_ = {};
  paused_until_.reset();
  state_ = CarryOver(frame.pass->before, frame.pass->policy->thresholds, policy_.thresholds);
  for (std::size_t i = 0; i < met_.size(); ++i) {
    met_[i].reset();
    if (const auto since = state_.first_observed_at[i]) met_[i] = {*since, *since, *since};
  }
  last_pass_ = frame.at;
  // A node of which one moment is known: what is short now is acted for now.
  const Segment moment(frame, frame);
  const Walk walk{.node = node, .segment = moment};
  if (as_recorded_ && !node.blind) return StepRecorded(walk);
  Decide(walk, frame.at, true);
}

bool PolicyRun::IsQuiet() const {
  return pods_.empty() && !pace_.awaits() && state_.met.none() && state_.conditions.Empty() &&
         std::ranges::none_of(state_.first_observed_at,
                              [](const auto& since) { return since.has_value(); });
}

// The policy was in force, and nothing differs until now.
bool PolicyRun::IsInStep(const Walk& walk) const {
  return as_recorded_ && !walk.node.blind && pods_.empty() && walk.segment.to().pass != nullptr;
}

void PolicyRun::Advance(const WhatIfNode& node, const Segment& segment, bool violations) {
  const Frame& to = segment.to();
  if (to.pass) TakePolicy(*to.pass);
  const bool limits = violations && policy_.local_storage_capacity_isolation;
  const Walk walk{.node = node, .segment = segment, .violations = limits};
  if (IsQuiet() && !limits && to.ends.empty() &&
      lines_->MeetsNone(to.seen, std::nullopt, std::nullopt)) {
    const std::int64_t reserved = lines_->Reserved(to.seen);
    const auto reserve = static_cast<double>(reserved);
    CountTime(segment.length(), reserve, reserve, reserved);
    return;
  }
  if (IsInStep(walk)) return StepRecorded(walk);
  WalkThrough(walk);
}

bool PolicyRun::MayActIn(const RecordedStretch& stretch) {
  if (!IsQuiet() || !away_.empty() || stretch.evictions > 0) return true;
  if (stretch.has_storage_limits && policy_.local_storage_capacity_isolation) return true;
  return !lines_->LiesBelow(stretch);
}

void PolicyRun::PassOver(Duration time, const Observations& seen) {
  const std::int64_t reserved = lines_->Reserved(seen);
  const auto reserve = static_cast<double>(reserved);
  CountTime(time, reserve, reserve, reserved);
}

void PolicyRun::CountTime(Duration time, double memory_from, double memory_to,
                          std::int64_t reserved) {
  if (time <= Duration{0}) return;
  const auto most = static_cast<double>(reserved);
  const double idle = (std::clamp(memory_from, 0.0, most) + std::clamp(memory_to, 0.0, most)) / 2;
  outcome_.idle_byte_seconds += idle * SecondsOf(time);
  for (const NodeConditionType type : kAllNodeConditions) {
    if (state_.conditions.Has(type)) outcome_.condition_time[IndexOf(type)] += time;
  }
}

// The pass itself, once more, with the state that the passes before it have led to.
void PolicyRun::StepRecorded(const Walk& walk) {
  const Frame& to = walk.segment.to();
  const RecordedPass& pass = *to.pass;
  const Signal memory = Signal::kMemoryAvailable;
  CountTime(walk.segment.length(),
            walk.segment.AvailableAt(memory, walk.segment.from().at).value_or(0),
            walk.segment.AvailableAt(memory, to.at).value_or(0), lines_->Reserved(to.seen));
  for (const RecordedEnd& end : to.ends) {
    if (end.how == RecordedEnd::How::kOomKilled) {
      NoteRecordedOomKill(walk.node, end.slot, {end.at, end.at, end.at});
    }
  }
  // Passes that found nothing may be missing: what they left is what this one began with.
  if (to.restarted || !to.follows) state_ = pass.before;
  last_pass_ = to.at;
  may_let_back_ = true;
  const Evaluation evaluation = EvaluateBy(policy_, state_, to.seen, to.at);
  NoteMet(walk, evaluation, to.at);
  if (evaluation.acting.none() && !walk.violations && pass.report.evictions.empty()) {
    state_ = evaluation.next;
    return;
  }
  std::vector<const PodFacts*> active;
  for (const auto& facts : pass.pods) active.push_back(facts.get());
  SimulatedEdges edges(&pass);
  NodePorts ports{.killer = edges, .reclaimer = edges, .summaries = edges};
  const CycleReport report = RunPass(
      *pass.policy, {.now = to.at, .summary = pass.summary, .pods = active, .pace = pass.pace},
      ports, state_, scratch_);
  TakeEvictions(walk, report, walk.node.keep_passes ? to.pass : nullptr);
}

void PolicyRun::TakeEndsOnTheWay(const Walk& walk) {
  const Segment& segment = walk.segment;
  for (const RecordedEnd& end : segment.to().ends) {
    // One that was seen to end in the pass at the end of the segment goes on from there.
    if (end.at >= segment.to().at && FiguresOf(segment.to(), end.slot) != nullptr) continue;
    TakeEnd(walk.node, segment, end, segment.from().at);
  }
}

void PolicyRun::TakeEnd(const WhatIfNode& node, const Segment& segment, const RecordedEnd& end,
                        Instant at) {
  if (VirtualPod* pod = pods_.Find(end.slot)) {
    // What the recording ended at about the same time comes back as it did then.
    const bool is_same = segment.to().not_after >= pod->evicted - pod->early - kSameEviction &&
                         segment.from().not_before <= pod->evicted + pod->late + kSameEviction;
    if (!pod->IsThere() && is_same) pod->follows_record = true;
    return;
  }
  if (std::ranges::find(away_, end.slot, &Away::slot) != away_.end()) return;
  const FramePod* figures = FiguresOf(segment.from(), end.slot);
  if (at >= segment.to().at) figures = FiguresOf(segment.to(), end.slot);
  if (figures == nullptr) return;
  const auto limit = MemoryLimitOf(*node.roster[end.slot].facts);
  const auto held = static_cast<double>(figures->memory);
  if (end.how == RecordedEnd::How::kOomKilled) {
    constexpr double kNearly = 0.95;
    const bool own = limit && held >= static_cast<double>(*limit) * kNearly;
    // What the kernel took for the node it would have left, had the node had more.
    if (own || pods_.FreedAt(segment, node.courses, at) <= 0) {
      return NoteRecordedOomKill(node, end.slot,
                                 {segment.from().not_before, end.at, segment.to().not_after});
    }
  }
  pods_.Put({.slot = end.slot,
             .is = VirtualPod::Is::kGoingOn,
             .since = at,
             .from = held,
             .growth = node.courses[end.slot].Growth(),
             .early = {},
             .late = {},
             .limit = limit});
}

void PolicyRun::NoteRecordedOomKill(const WhatIfNode& node, PodSlot slot, TimeBounds when) {
  outcome_.oom_kills.push_back({.uid = node.roster[slot].facts->pod.uid,
                                .pod = node.roster[slot].name,
                                .when = when,
                                .why = ForeseenOomKill::Why::kRecorded});
}

void PolicyRun::WalkThrough(const Walk& walk) {
  const Segment& segment = walk.segment;
  TakeEndsOnTheWay(walk);
  const VirtualSegment view(walk.node, segment, pods_);
  const Instant end = segment.to().at;
  const Duration finest = std::max(kFinestStep, segment.length() / kMostSteps);
  Instant at = segment.from().at;
  while (at < end) {
    Instant to = std::min(NextStop(at, end), end);
    if (!pods_.empty() || paused_until_) to = std::min(to, at + finest);
    const auto crossing = view.FirstCrossing(policy_.thresholds, state_, *lines_, at, to);
    if (crossing) to = *crossing;
    MoveTo(walk,
           {.from = at, .to = to, .memory_from = view.LeftAt(at), .memory_to = view.LeftAt(to)});
    const bool by_clock =
        last_pass_ && Elapsed(*last_pass_, to) >= walk.node.model.monitoring_interval;
    const bool sampled = to == end && segment.to().pass != nullptr;
    if (crossing || by_clock || sampled || NextStop(at, end) == to || paused_until_) {
      Decide(walk, to, by_clock || sampled);
    }
    at = to;
  }
}

// When something is due by itself.
Instant PolicyRun::NextStop(Instant now, Instant end) const {
  Instant next = end;
  const auto consider = [&](std::optional<Instant> at) {
    if (at && *at > now) next = std::min(next, *at);
  };
  consider(pace_.Next(now));
  consider(paused_until_);
  for (std::size_t i = 0; i < policy_.thresholds.size(); ++i) {
    const auto& since = state_.first_observed_at[i];
    if (since && !policy_.thresholds[i].IsHard()) {
      consider(*since + policy_.thresholds[i].grace_period);
    }
  }
  for (const VirtualPod& pod : pods_) {
    if (pod.is == VirtualPod::Is::kEnding) consider(pod.gone);
    if (pod.is == VirtualPod::Is::kAway) consider(pod.due);
  }
  if (!IsQuiet() && last_pass_) consider(*last_pass_ + seconds(10));
  return next;
}

void PolicyRun::MoveTo(const Walk& walk, const Step& step) {
  CountTime(Elapsed(step.from, step.to), step.memory_from, step.memory_to,
            lines_->Reserved(walk.segment.to().seen));
  pace_.Advance(step.to);
  if (paused_until_ && step.to >= *paused_until_) paused_until_.reset();
  for (VirtualPod& pod : pods_) {
    if (pod.is == VirtualPod::Is::kEnding && step.to >= pod.gone) pod.is = VirtualPod::Is::kAway;
  }
  LetBack(walk, step.to);
  ForeseeOomKills(walk, step);
}

void PolicyRun::Decide(const Walk& walk, Instant at, bool by_clock) {
  Observations seen = pods_.SeenAt(walk.segment, walk.node.courses, at);
  // On the line counts as below it: the crossing is what this look is for.
  for (std::size_t i = 0; i < policy_.thresholds.size(); ++i) {
    auto& each = seen[policy_.thresholds[i].signal];
    if (!each || !IsWatched(policy_.thresholds[i].signal)) continue;
    if (each->available == lines_->LineOf(i, each->capacity) && at < walk.segment.to().at) {
      --each->available;
    }
  }
  const Evaluation evaluation = EvaluateBy(policy_, state_, seen, at);
  const auto threshold = MostUrgent(policy_.thresholds, evaluation.acting);
  if (pace_.awaits() && !(threshold && pace_.Allows(policy_.thresholds[*threshold]))) return;
  NoteMet(walk, evaluation, at);
  if (by_clock) last_pass_ = at;
  may_let_back_ = true;
  const bool limits = walk.violations && at >= walk.segment.to().at;
  if (!threshold && !limits) {
    state_ = evaluation.next;
    return;
  }
  Act(walk, at, evaluation, seen, by_clock);
}

void PolicyRun::Act(const Walk& walk, Instant at, const Evaluation& evaluation,
                    const Observations& seen, bool by_clock) {
  const Frame& to = walk.segment.to();
  const bool is_pass = at >= to.at && to.pass;
  ActivePodsAt(pods_, walk.segment, walk.node.roster, walk.node.courses, at, stats_, scratch_);
  ReadingPlan plan{.now = at, .observations = seen, .evaluation = evaluation};
  plan.threshold = MostUrgent(policy_.thresholds, evaluation.acting);
  PassPolicy policy = policy_;
  if (!walk.violations || !is_pass) policy.local_storage_capacity_isolation = false;
  std::optional<PaceInput> pace;
  if (plan.threshold) {
    pace = PaceFor(walk, policy.thresholds[*plan.threshold].signal, at, by_clock);
  }
  const PassDecision decision = DecidePass(policy, plan, scratch_, pace);
  SimulatedEdges edges(is_pass ? to.pass.get() : nullptr);
  NodePorts ports{.killer = edges, .reclaimer = edges, .summaries = edges};
  const EvictionState before = state_;
  const CycleReport report = CarryOut(
      {.policy = policy, .plan = plan, .decision = decision, .pods = scratch_}, ports, state_);
  paused_until_.reset();
  if (report.pause) paused_until_ = report.pause->until;
  if (report.evictions.empty()) return;
  TakeEvictions(walk, report, PassOf(walk, report, before, pace));
}

PaceInput PolicyRun::PaceFor(const Walk& walk, Signal signal, Instant at, bool by_clock) const {
  PaceInput pace{.signal = signal, .kubelet_decides = pace_.KubeletDecides(signal, at)};
  if (!by_clock) pace.next_by_clock = last_pass_.value_or(at) + walk.node.model.monitoring_interval;
  if (ResourceOf(signal) != Resource::kMemory) return pace;
  for (const VirtualPod& pod : pods_) {
    if (pod.is != VirtualPod::Is::kEnding) continue;
    pace.ending += std::llround(pod.MemoryAt(walk.node.courses[pod.slot], at));
  }
  if (last_eviction_ && Elapsed(*last_eviction_, at) < kGrowthTakes) return pace;
  VirtualSegment(walk.node, walk.segment, pods_).MeasureGrowth(at, scratch_, pace);
  return pace;
}

void PolicyRun::NoteMet(const Walk& walk, const Evaluation& evaluation, Instant at) {
  for (std::size_t i = 0; i < policy_.thresholds.size(); ++i) {
    if (!evaluation.met[i]) {
      met_[i].reset();
    } else if (!met_[i]) {
      met_[i] = BoundsAt(walk, at, std::nullopt);
    }
  }
}

TimeBounds PolicyRun::BoundsAt(const Walk& walk, Instant at,
                               const std::optional<TimeBounds>& met) const {
  if (IsInStep(walk)) return {at, at, at};
  return VirtualSegment(walk.node, walk.segment, pods_).BoundsAt(at, met);
}

// As if it had been recorded; null where nobody asks for it.
std::shared_ptr<const RecordedPass> PolicyRun::PassOf(const Walk& walk, const CycleReport& report,
                                                      const EvictionState& before,
                                                      std::optional<PaceInput> pace) const {
  if (!walk.node.keep_passes) return nullptr;
  auto pass = std::make_shared<RecordedPass>();
  pass->policy = std::make_shared<const PassPolicy>(policy_);
  pass->before = before;
  pass->report = report;
  pass->pace = pace;
  const Frame& to = walk.segment.to();
  if (to.pass) {
    pass->number = to.pass->number;
    pass->summary.node = to.pass->summary.node;
  }
  const auto& seen = report.observations[Signal::kMemoryAvailable];
  if (seen) {
    pass->summary.node.memory = MemoryStats{
        .time = report.at,
        .available_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(seen->available, 0)),
        .working_set_bytes = static_cast<std::uint64_t>(
            std::max<std::int64_t>(seen->capacity - seen->available, 0))};
  }
  for (const ActivePod& pod : scratch_) {
    const auto slot = walk.node.roster.Find(pod.facts->pod.uid);
    pass->pods.push_back(walk.node.roster[*slot].facts);
    if (pod.stats != nullptr) pass->summary.pods.push_back(*pod.stats);
  }
  return pass;
}

void PolicyRun::TakeEvictions(const Walk& walk, const CycleReport& report,
                              const std::shared_ptr<const RecordedPass>& pass) {
  const WhatIfNode& node = walk.node;
  const bool in_step = IsInStep(walk) || walk.segment.length() == Duration{0};
  std::optional<std::size_t> threshold;
  if (report.acting_for) {
    for (std::size_t i = 0; i < policy_.thresholds.size(); ++i) {
      if (IsSameLine(policy_.thresholds[i], *report.acting_for)) threshold = i;
    }
  }
  const TimeBounds when = BoundsAt(walk, report.at, threshold ? met_[*threshold] : std::nullopt);
  for (const EvictionRecord& eviction : report.evictions) {
    if (eviction.outcome != EvictOutcome::kEnding) continue;
    const auto slot = node.roster.Find(eviction.order.pod_uid);
    if (!slot) continue;
    SimulatedEviction told{.uid = eviction.order.pod_uid,
                           .pod = node.roster[*slot].name,
                           .when = when,
                           .limit = eviction.storage_limit};
    told.held = std::llround(pods_.MemoryAt(*slot, walk.segment, node.courses, report.at));
    if (threshold && !told.limit) TellThreshold(*threshold, report, told);
    told.pass = pass;
    told.from_record = pods_.Find(*slot) == nullptr;
    const auto& recorded = walk.segment.to().ends;
    told.as_recorded = in_step && told.from_record &&
                       std::ranges::find(recorded, *slot, &RecordedEnd::slot) != recorded.end();
    if (told.as_recorded) {
      away_.push_back({.slot = *slot, .life = node.courses[*slot].life(), .since = report.at});
    } else {
      End(walk, *slot, told, eviction.order.grace_period_seconds, ResourceActedFor(report));
    }
    outcome_.evictions.push_back(std::move(told));
    last_eviction_ = report.at;
  }
}

void PolicyRun::TellThreshold(std::size_t threshold, const CycleReport& report,
                              SimulatedEviction& told) {
  const Threshold& line = policy_.thresholds[threshold];
  told.signal = line.signal;
  told.soft = !line.IsHard();
  const auto& seen = report.observations[line.signal];
  if (!seen) return;
  told.available = seen->available;
  told.line = lines_->LineOf(threshold, seen->capacity);
}

// From here on the pod fares otherwise than in the recording.
void PolicyRun::End(const Walk& walk, PodSlot slot, const SimulatedEviction& told,
                    std::int64_t grace_seconds, Resource resource) {
  const WhatIfNode& node = walk.node;
  const RecordedCourse& course = node.courses[slot];
  const VirtualPod* was = pods_.Find(slot);
  const Instant at = told.when.at;
  const Duration grace = std::max<Duration>(seconds(grace_seconds), Duration{1});
  VirtualPod pod{.slot = slot,
                 .is = VirtualPod::Is::kEnding,
                 .since = at,
                 .from = static_cast<double>(told.held),
                 .growth = was != nullptr ? was->growth : course.Growth(),
                 .early = Elapsed(told.when.earliest, at),
                 .late = Elapsed(at, told.when.latest),
                 .limit = MemoryLimitOf(*node.roster[slot].facts),
                 .evicted = at,
                 .gone = at + std::min(node.model.end_takes, grace),
                 .life_at_end = course.life()};
  const AfterEviction after = node.model.after_eviction.value_or(
      node.profile == Profile::kStandalone ? AfterEviction::kRestarted : AfterEviction::kElsewhere);
  if (after == AfterEviction::kRestarted) {
    pod.due = pod.gone + comebacks_.Backoff(node.model, slot, at);
  }
  pods_.Put(pod);
  constexpr std::int64_t kHardGraceSeconds = 1;
  pace_.Evicted(resource, grace_seconds <= kHardGraceSeconds, at, pod.gone);
}

// One pod between two passes, and nobody while something is short.
void PolicyRun::LetBack(const Walk& walk, Instant at) {
  if (!may_let_back_ || state_.met.any()) return;
  VirtualPod* pod = Comebacks::Next(walk.node, pods_, state_.conditions, at);
  if (pod == nullptr) return;
  may_let_back_ = false;
  outcome_.pod_time_lost += Elapsed(pod->evicted, at);
  comebacks_.Back(pod->slot, at);
  pod->is = VirtualPod::Is::kBack;
  pod->since = at + walk.node.model.start_takes;
  pod->life = walk.node.courses[pod->slot].life();
  pod->due.reset();
}

void PolicyRun::ForeseeOomKills(const Walk& walk, const Step& step) {
  const std::vector<RecordedCourse>& courses = walk.node.courses;
  for (VirtualPod& pod : pods_) {
    if (pod.is != VirtualPod::Is::kGoingOn || !pod.limit) continue;
    if (pod.MemoryAt(courses[pod.slot], step.to) < static_cast<double>(*pod.limit)) continue;
    outcome_.oom_kills.push_back({.uid = walk.node.roster[pod.slot].facts->pod.uid,
                                  .pod = walk.node.roster[pod.slot].name,
                                  .when = BoundsAt(walk, step.to, std::nullopt),
                                  .why = ForeseenOomKill::Why::kPodLimit});
    pod.is = VirtualPod::Is::kBack;
    pod.since = step.to;
    pod.life = courses[pod.slot].life();
  }
  if (pods_.empty() || step.memory_to > 0 || step.memory_from <= 0) return;
  KillForMemory(walk, step.to);
}

void PolicyRun::KillForMemory(const Walk& walk, Instant at) {
  ActivePodsAt(pods_, walk.segment, walk.node.roster, walk.node.courses, at, stats_, scratch_);
  const auto& memory = walk.segment.to().seen[Signal::kMemoryAvailable];
  const auto victim = FirstForTheKernel(scratch_, memory ? memory->capacity : 0);
  if (!victim) return;
  const auto slot = walk.node.roster.Find(scratch_[*victim].facts->pod.uid);
  outcome_.oom_kills.push_back({.uid = scratch_[*victim].facts->pod.uid,
                                .pod = walk.node.roster[*slot].name,
                                .when = BoundsAt(walk, at, std::nullopt),
                                .why = ForeseenOomKill::Why::kNode});
  pods_.Put({.slot = *slot,
             .is = VirtualPod::Is::kBack,
             .since = at,
             .growth = {},
             .life = walk.node.courses[*slot].life(),
             .early = {},
             .late = {},
             .limit = MemoryLimitOf(*walk.node.roster[*slot].facts)});
}

void PolicyRun::Settle(const WhatIfNode& node, const Frame& frame) {
  const Segment moment(frame, frame);
  for (const RecordedEnd& end : frame.ends) {
    if (end.at >= frame.at && FiguresOf(frame, end.slot) != nullptr) {
      TakeEnd(node, moment, end, frame.at);
    }
  }
  const auto is_new_life = [&](PodSlot slot, unsigned life) {
    return node.courses[slot].active() && node.courses[slot].life() != life;
  };
  std::erase_if(away_, [&](const Away& away) {
    if (!is_new_life(away.slot, away.life)) return false;
    outcome_.pod_time_lost += Elapsed(away.since, frame.at);
    return true;
  });
  std::vector<PodSlot> done;
  for (const VirtualPod& pod : pods_) {
    if (pod.follows_record && is_new_life(pod.slot, pod.life_at_end)) {
      if (!pod.IsThere()) outcome_.pod_time_lost += Elapsed(pod.evicted, frame.at);
      done.push_back(pod.slot);
    } else if (node.courses[pod.slot].HasLeft()) {
      if (!pod.IsThere()) outcome_.pod_time_lost += Elapsed(pod.evicted, frame.at);
      done.push_back(pod.slot);
    }
  }
  for (const PodSlot slot : done) pods_.Drop(slot);
}

void PolicyRun::Stop(Instant at) {
  for (const Away& away : away_) outcome_.pod_time_lost += Elapsed(away.since, at);
  for (const VirtualPod& pod : pods_) {
    if (!pod.IsThere()) outcome_.pod_time_lost += Elapsed(pod.evicted, at);
  }
  away_.clear();
  pods_.Clear();
}

}  // namespace jettison
