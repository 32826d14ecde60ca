#include "agent/passes/node.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/decide/decide.h"
#include "core/evaluate/evaluate.h"
#include "core/observe/observations.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

constexpr Duration kGcInterval = std::chrono::minutes(1);

bool IsDue(std::optional<Instant> deadline, Instant now) {
  return deadline && *deadline <= now;
}

// Levels that move all the time, because the page cache does, are not registered all the time.
constexpr Duration kArmSpacing = std::chrono::milliseconds(100);

// The pause after a walk that could not read everything.
constexpr Duration kReadAgainAfter = std::chrono::milliseconds(200);

// Whether a pass with this evaluation would report something new after the state `before`: a
// threshold acts that is not among `acted`, or is newly met, or a condition changes.
bool HasNews(const Evaluation& evaluation, const EvictionState& before, ThresholdSet acted) {
  const bool acts = (evaluation.acting & ~acted).any();
  if (acts || !(evaluation.next.conditions == before.conditions)) return true;
  for (std::size_t i = 0; i < kMaxThresholds; ++i) {
    if (evaluation.met[i] && !before.first_observed_at[i]) return true;
  }
  return false;
}

// What moves by less is jitter.
constexpr std::int64_t kLeastGrowth = std::int64_t{1} << 20;

// Of the thresholds in their margin, where a node may stay for days with nobody to evict, those for
// which there may be another candidate than in the last pass: they have left it, or a quarter of
// what was left to the kubelet's line is gone. So pods are ranked some ten times while one of them
// takes the margin, however fast, and seldom while the node rests.
ThresholdSet NewsOfMargins(std::span<const Threshold> thresholds, const CycleReport& last,
                           const Evaluation& evaluation, const Observations& seen) {
  ThresholdSet news = last.evaluation.in_margin & ~evaluation.in_margin;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const auto& before = last.observations[thresholds[i].signal];
    const auto& now = seen[thresholds[i].signal];
    if (!evaluation.in_margin[i] || !evaluation.met[i] || !before || !now) continue;
    const std::int64_t line = QuantityOf(thresholds[i].kubelet->value, now->capacity).Value();
    const std::int64_t quarter = (before->available - line) / 4;
    if (before->available - now->available >= std::max(quarter, kLeastGrowth)) news.set(i);
  }
  return news;
}

// Replaces the pods that are spared by protected copies.
void Protect(std::span<const SparedPod> spared, std::vector<SharedPodFacts>& pods) {
  for (SharedPodFacts& pod : pods) {
    const bool is_spared = std::ranges::find(spared, pod->pod.uid, &SparedPod::uid) != spared.end();
    if (!is_spared || pod->IsProtected()) continue;
    auto copy = std::make_shared<PodFacts>(*pod);
    copy->protection = Protection::kSpared;
    pod = std::move(copy);
  }
}

}  // namespace

Node::Node(NodeSettings settings, const NodeDependencies& dependencies)
    : settings_(std::move(settings)),
      layout_known_(settings_.layout_known),
      dependencies_(dependencies),
      state_{.policies = PassPolicies(settings_.policy), .pacing = EvictionPacing(dependencies)},
      reporter_(settings_, dependencies_, state_, counters_),
      scheduler_(settings_.monitoring_interval, dependencies.clock.Now()),
      walks_(settings_, dependencies_, state_),
      next_gc_(dependencies.clock.Now() + kGcInterval) {
  state_.standing.condition_changed_at.fill(dependencies.clock.Now());
}

// ---- the pass

// What a pass has acted for is left to the next, unless pods are ending or an eviction waits, which
// a look may end. Evictions for a disk are left to the other passes.
void Node::Look(Wakeup by) {
  const Instant now = dependencies_.clock.Now();
  if (by == Wakeup::kMemoryLevel) {
    ++counters_.memory_notifications;
    woken_at_ = woken_at_.value_or(now);
  }
  if (by != Wakeup::kClock) {
    AskForLook(std::max(now, looked_at_ + (by == Wakeup::kStall ? kStallSpacing : kLevelSpacing)));
  }
  if (!IsDue(look_at_, now)) return;
  look_at_.reset();
  looked_at_ = now;
  ++counters_.looks;
  const ReadingPlan plan = ReadNode(now);
  const Evaluation& evaluation = plan.evaluation;
  const auto& thresholds = state_.policies->thresholds;
  counters_.early_kills += state_.pacing.Hasten(plan.observations, state_.policies->layout, now);
  state_.pacing.EndPauseUnless(thresholds, evaluation.overdue);
  if (IsDue(pass_asked_for_, now)) {
    pass_asked_for_.reset();
    acted_.reset();
  }
  acted_ &= evaluation.acting;
  if (const auto& last = state_.record.last) {
    acted_ &= ~NewsOfMargins(thresholds, *last, evaluation, plan.observations);
  }
  if (state_.pacing.FollowedSince(now)) acted_ &= ~WithoutDisks(thresholds, evaluation.acting);
  if (HasNews(evaluation, state(), acted_)) {
    Pass(plan, {.by_clock = scheduler_.measuring() && scheduler_.TakeTurn(now)});
  }
  woken_at_.reset();
  PlanLook(plan.observations, now);
}

ReadingPlan Node::ReadNode(Instant now) {
  state_.summary.node = dependencies_.figures.ReadNode();
  state_.pacing.ReadEnding();
  ReadingPlan plan = PlanReading(*state_.PolicyOf(PassKind::kWatch), state(), state_.summary.node,
                                 now, state_.pacing.Allowed(state_.policies->thresholds));
  state_.pacing.Seen(plan.observations, now);
  return plan;
}

// A threshold on a disk that waits for its files to be measured does not delay other thresholds.
bool Node::Pass(const ReadingPlan& plan, const Cause& cause) {
  const bool measured = cause.disk != nullptr;
  if (!measured && walks_.Await(plan) && !scheduler_.measuring()) scheduler_.Request(plan.now);
  // The first pass after a restart reports the node's state, even while evictions are awaited.
  const bool is_first = passes() == 0 && plan.evaluation.acting.none();
  if (state_.pacing.awaits() && !plan.threshold && !is_first) return false;

  ReadPods(plan, cause.disk);
  const std::shared_ptr<const PassPolicy>& policy = state_.PolicyOf(cause.kind);
  const PassDecision decision = DecidePass(*policy, plan, pods_, [&](std::size_t i) {
    const Threshold& threshold = policy->thresholds[i];
    const SoftEvictions* const soft = threshold.IsHard() ? nullptr : dependencies_.soft;
    return state_.pacing.InputOf(
        {.threshold = threshold,
         .plan = plan,
         .pods = pods_,
         .layout = policy->layout,
         .next_by_clock = cause.by_clock ? std::nullopt : std::optional(scheduler_.scheduled()),
         .soft = soft != nullptr ? soft->HoldAt(plan.now) : std::nullopt});
  });
  state_.pacing.SetInput(decision.pace);
  const auto& victim = decision.decision.victim;
  if (victim && !measured && plan.pods == PodFigures::kMemory) {
    dependencies_.figures.ReadContainersOf(*pods_[*victim].facts, state_.summary.pods[*victim]);
  }
  const auto& acts_for = decision.decision.threshold;
  const bool awaits_walk =
      !measured && plan.disk && acts_for && IsOfDisk(policy->thresholds[*acts_for].signal);
  if (!measured && plan.evaluation.next.conditions == state().conditions) {
    const bool repeats = awaits_walk ? walks_.IsDoneWithout(plan)
                                     : decision.pause && state_.pacing.IsReported(
                                                             policy->thresholds[*acts_for].signal,
                                                             *decision.pause, plan.now);
    if (repeats) return false;
  }
  if (awaits_walk) walks_.PassedWithout(plan.now);

  DonePass done{.pass = {.number = state_.record.count + 1,
                         .policy = policy,
                         .before = state(),
                         .pods = state_.pods,
                         .pace = decision.pace},
                .kind = cause.kind,
                .times = {.woken = std::exchange(woken_at_, std::nullopt).value_or(plan.now),
                          .began = plan.now},
                .pods = pods_,
                .eviction_had_waited = decision.pause.has_value()};
  NodePorts ports = {
      .killer = dependencies_.pods, .reclaimer = dependencies_.reclaimer, .summaries = *this};
  done.pass.report =
      CarryOut({.policy = *done.pass.policy, .plan = plan, .decision = decision, .pods = pods_},
               ports, state_.standing.state);
  done.times.decided = dependencies_.clock.Now();
  done.pass.after_reclaim = std::exchange(after_reclaim_, std::nullopt);
  const CycleReport& report = reporter_.Report(std::move(done));

  AfterPass(report, cause.by_clock, plan.now);
  // The reclaim may have been enough, or has only begun; when it ends, the disk is looked at again.
  const bool settled = report.relieved_by_reclaim || report.reclaim_under_way;
  if (awaits_walk && settled) walks_.DropDemand();
  return true;
}

// For a soft threshold, pods that the API server refused to evict are spared.
void Node::ReadPods(const ReadingPlan& plan, const MeasuredDisk* disk) {
  Figures& figures = dependencies_.figures;
  std::vector<PodStats>& stats = state_.summary.pods;
  const SoftEvictions* const soft = dependencies_.soft;
  const bool asks =
      soft != nullptr && plan.threshold && !state_.policies->thresholds[*plan.threshold].IsHard();
  state_.spared = asks ? soft->SparedAt(plan.now) : std::vector<SparedPod>();
  state_.pods = dependencies_.pods.Active();
  Protect(state_.spared, state_.pods);
  const std::vector<const PodFacts*> pods = PointersTo(state_.pods);
  if (disk != nullptr || plan.disk) {
    const DiskUse* const use = disk != nullptr ? &disk->use : nullptr;
    figures.ReadPods(pods, use, stats);
    if (state_.policies.NeedDiskUse()) {
      state_.record.pods.MarkStale(use, disk == nullptr || disk->age_counts, stats);
    }
  } else {
    switch (plan.pods) {
      case PodFigures::kNone: stats.clear(); break;
      case PodFigures::kMemory: figures.ReadMemoryOf(pods, stats); break;
      case PodFigures::kAll: figures.ReadPods(pods, nullptr, stats); break;
    }
  }
  pods_ = JoinStats(pods, state_.summary);
}

// The figures that show whether a reclaim sufficed: file systems and memory of the node, without
// pods.
Result<Summary> Node::ReadSummary() {
  after_reclaim_.emplace().node = dependencies_.figures.ReadNode();
  return *after_reclaim_;
}

void Node::FullPass(const ReadingPlan& plan, const MeasuredDisk& disk) {
  const Instant now = plan.now;
  // Storage limits are no hard threshold, so they wait for the clean-up.
  const bool limits = !state_.pacing.awaits();
  walks_.DropDemand();
  if (Pass(plan, {.kind = limits ? PassKind::kFull : PassKind::kWatch,
                  .by_clock = scheduler_.TakeTurn(now) || scheduler_.is_scheduled(),
                  .disk = &disk})) {
    state_.record.pods.Take(state_.summary.pods, disk.use, now);
    if (!dependencies_.reclaimer.UnderWay()) dependencies_.reclaimer.Forget();
    CollectGarbage(now);
  }
  dependencies_.figures.ForgetOthers(PointersTo(dependencies_.pods.Active()));
  if (!state_.pacing.awaits()) dependencies_.figures.AfterFullPass();
  if (dependencies_.on_full_pass) dependencies_.on_full_pass();
}

void Node::AfterPass(const CycleReport& report, bool scheduled, Instant now) {
  if (report.reclaim_under_way) {
    reclaim_awaited_ = true;
    reclaim_is_scheduled_ = reclaim_is_scheduled_ || scheduled;
  }
  // The end of the pause is a full pass, because the kubelet would look at everything. If pods are
  // awaited, that pass is requested when they are gone.
  if (report.pause && !state_.pacing.awaits()) scheduler_.Schedule(report.pause->until);
  grace_end_ = NextGraceEnd(state_.policies->thresholds, report.evaluation);
  acted_ = report.evaluation.acting;
  if (!report.evictions.empty()) trends_.BeginAnew();
  PlanLook(report.observations, now);
}

// ---- what a pass starts from

void Node::SetEviction(const EvictionPolicy& eviction) {
  PassPolicy policy = *state_.policies;
  policy.pressure_transition_period = eviction.pressure_transition_period;
  policy.max_pod_grace_period_seconds = eviction.max_pod_grace_period_seconds;
  policy.thresholds = ThresholdsFor(eviction.thresholds,
                                    layout_known_ ? std::optional(policy.layout) : std::nullopt);
  TakePolicy(std::move(policy));
}

// The runtime may answer long after the first pass.
void Node::SetLayout(DiskLayout layout, std::vector<Threshold> thresholds) {
  layout_known_ = true;
  PassPolicy policy = *state_.policies;
  policy.layout = layout;
  policy.thresholds = std::move(thresholds);
  TakePolicy(std::move(policy));
}

// A threshold that was met stays met if its signal and value are the same.
void Node::TakePolicy(PassPolicy policy) {
  const Instant now = dependencies_.clock.Now();
  NodeStanding& standing = state_.standing;
  standing.state = CarryOver(standing.state, state_.policies->thresholds, policy.thresholds);
  state_.policies = PassPolicies(std::move(policy));
  reporter_.DropAsked();
  if (auto& last = state_.record.last) {
    // The last report refers to thresholds by their index, too.
    auto report = std::make_shared<CycleReport>(*last);
    report->evaluation = Evaluate(*state_.policies, standing.state, report->observations, now);
    last = std::move(report);
  }
  acted_.reset();  // the thresholds are others
  LookAtOnce();
}

void Node::LookAtOnce() {
  if (passes() == 0) return;
  const Instant now = dependencies_.clock.Now();
  Pass(ReadNode(now), {});
  PlanLook(ObservationsFrom(state_.summary), now);
  scheduler_.Request(now);
}

void Node::Slept(Duration slept) {
  dependencies_.pods.PutOffEnds(slept);
  state_.pacing.PutOff(slept);
  EvictionState& state = state_.standing.state;
  for (auto* const times : {&state.first_observed_at, &state.kubelet_line_crossed_at}) {
    for (auto& since : *times) {
      if (since) since = std::min(*since + slept, dependencies_.clock.Now());
    }
  }
}

void Node::Resume(const SavedNode& saved) {
  jettison::Resume(saved, state_.policies->thresholds, state_.standing);
  if (saved.wait) state_.pacing.Resume(*saved.wait, dependencies_.clock.Now());
}

SavedNode Node::Saved() const {
  SavedNode saved = SavedOf(state_.standing, state_.policies->thresholds);
  saved.wait = state_.pacing.Saved();
  return saved;
}

Snapshot Node::MakeSnapshot() const {
  return SnapshotOf(state_, trends_, dependencies_, scheduler_.NextDeadline());
}

// ---- when the node is looked at

// While an eviction of an earlier agent is awaited, there may be no pass.
void Node::Begin() {
  const Instant now = dependencies_.clock.Now();
  Pass(ReadNode(now), {});
  PlanLook(ObservationsFrom(state_.summary), now);
  Advance();
}

void Node::Advance() {
  const Instant now = dependencies_.clock.Now();
  dependencies_.pods.Advance(now);
  CheckCleanup(now);
  CheckReclaim(now);
  if (dependencies_.soft != nullptr) TakeAnswers(now);
  Look(Wakeup::kClock);
  if (scheduler_.Begin(now)) StartWalk(now);
  WatchOverWalk(now);
}

std::optional<Instant> Node::NextDeadline() const {
  return Earliest({scheduler_.measuring() ? walks_.GivesUpAt() : std::nullopt,
                   dependencies_.pods.NextDeadline(), scheduler_.NextDeadline(),
                   state_.pacing.NextDeadline(), dependencies_.reclaimer.NextDeadline(), look_at_});
}

void Node::PlanLook(const Observations& seen, Instant now) {
  trends_.Take(seen, now);
  AskForLook(now + NextLook(state_.policies.lines(), seen));
  const auto since = state_.pacing.FollowedSince(now);
  if (since) AskForLook(now + NextPaceLook(*since, now));
  if (grace_end_ && *grace_end_ > now) AskForLook(*grace_end_);
  if (pass_asked_for_) AskForLook(*pass_asked_for_);
  Rearm(now);
}

void Node::AskForPass(Instant at) {
  pass_asked_for_ = std::min(pass_asked_for_.value_or(at), at);
  AskForLook(at);
}

void Node::Rearm(Instant now) {
  if (!settings_.memory_notifications || now < armed_at_ + kArmSpacing) return;
  std::vector<MemoryLevel> levels = MemoryLevels(state_.policies.lines(), state_.summary.node);
  if (!LevelsMoved(armed_, levels)) return;
  armed_ = levels;
  armed_at_ = now;
  if (dependencies_.arm) dependencies_.arm(std::move(levels));
}

// The first collection is made as soon as the wanted pods are known: an earlier agent may have been
// killed while it removed the remains of a pod.
void Node::CollectGarbage(Instant now) {
  const bool first = !gc_began_ && dependencies_.pods.StandingForGc().all_sources_ready;
  if (!first && now < next_gc_) return;
  gc_began_ = gc_began_ || first;
  next_gc_ = now + kGcInterval;
  dependencies_.pods.ForgetDeadContainers(ForgetOf::kRestartingPodsOnly);
  if (dependencies_.sweep_groups) dependencies_.sweep_groups();
}

// A full pass follows at once, and a pass without a walk where one is under way that may take long.
void Node::CheckCleanup(Instant now) {
  if (reporter_.CheckCleanup(now)) scheduler_.Schedule(now);
}

// If a full pass is being measured when a reclaim ends, that pass continues from the reclaim.
void Node::CheckReclaim(Instant now) {
  dependencies_.reclaimer.Advance(now);
  if (!reclaim_awaited_ || dependencies_.reclaimer.UnderWay()) return;
  reclaim_awaited_ = false;
  if (std::exchange(reclaim_is_scheduled_, false)) return scheduler_.Schedule(now);
  scheduler_.measuring() ? AskForPass(now) : scheduler_.Request(now);
}

void Node::TakeAnswers(Instant now) {
  while (const auto answer = dependencies_.soft->TakeAnswer()) {
    if (answer->granted) {
      const CycleReport* const report = reporter_.Granted(answer->order, now);
      if (report != nullptr) AfterPass(*report, true, now);
      continue;
    }
    AskForPass(now);
    const auto& last = state_.record.last;
    if (last && last->acting_for && IsOfDisk(last->acting_for->signal)) scheduler_.Request(now);
  }
}

// ---- walks through pods' files

// Decisions by the node's own figures are not postponed until the walk is over.
void Node::StartWalk(Instant now) {
  if (!walks_.AreNeeded()) return DiskMeasured({});
  const ReadingPlan plan = ReadNode(now);
  if (walks_.LastServes(plan)) {
    FullPass(plan, {.use = dependencies_.disk_walks.LastKnown(), .age_counts = false});
    return scheduler_.Done();
  }
  walks_.Begin(plan);
  if (HasNews(plan.evaluation, state(), {})) {
    Pass(plan, {.by_clock = scheduler_.is_scheduled()});
  }
}

void Node::DiskMeasured(const DiskUse& disk) {
  if (!scheduler_.measuring()) return;
  const ReadingPlan plan = ReadNode(dependencies_.clock.Now());
  switch (walks_.Judge(plan, disk)) {
    case WalkResult::kWalksAgain: return;
    case WalkResult::kUnread: return scheduler_.PutOff(plan.now + kReadAgainAfter);
    case WalkResult::kCounts: FullPass(plan, {.use = disk}); return scheduler_.Done();
  }
}

// Does what cannot wait until the walk is over.
void Node::WatchOverWalk(Instant now) {
  if (scheduler_.measuring()) {
    if (scheduler_.TakeTurn(now)) Pass(ReadNode(now), {.by_clock = true});
    if (walks_.HaveKeptWaiting(now)) {
      FullPass(ReadNode(now), {.use = dependencies_.disk_walks.LastKnown()});
    }
  }
  walks_.SetUrgency();
}

}  // namespace jettison
