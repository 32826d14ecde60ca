#include "agent/passes/node.h"

#include <algorithm>
#include <utility>

#include "agent/evictions/node_actions.h"
#include "agent/passes/node_snapshot.h"
#include "agent/passes/pass_news.h"
#include "core/decide/decide.h"
#include "core/evaluate/evaluate.h"
#include "core/thresholds/containerfs_thresholds.h"

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

}  // namespace

Node::Node(NodeSettings settings, const NodeDependencies& dependencies)
    : settings_(std::move(settings)),
      layout_known_(settings_.layout_known),
      dependencies_(dependencies),
      passes_(settings_, dependencies, counters_),
      scheduler_(settings_.monitoring_interval, dependencies.clock.Now()),
      walks_(settings_, dependencies_, passes_),
      next_gc_(dependencies.clock.Now() + kGcInterval) {}

void Node::PodLost(std::string_view pod_uid) {
  passes_.pacing().Lost(pod_uid, dependencies_.clock.Now());
}

void Node::SetEviction(const EvictionPolicy& eviction) {
  PassPolicy policy = *passes_.policy();
  policy.pressure_transition_period = eviction.pressure_transition_period;
  policy.max_pod_grace_period_seconds = eviction.max_pod_grace_period_seconds;
  policy.thresholds = ThresholdsFor(eviction.thresholds,
                                    layout_known_ ? std::optional(policy.layout) : std::nullopt);
  TakePolicy(std::move(policy));
}

// The runtime may answer long after the first pass.
void Node::SetLayout(DiskLayout layout, std::vector<Threshold> thresholds) {
  layout_known_ = true;
  PassPolicy policy = *passes_.policy();
  policy.layout = layout;
  policy.thresholds = std::move(thresholds);
  TakePolicy(std::move(policy));
}

void Node::TakePolicy(PassPolicy policy) {
  passes_.TakePolicy(std::move(policy), dependencies_.clock.Now());
  acted_.reset();  // the thresholds are others
  LookAtOnce();
}

void Node::LookAtOnce() {
  if (passes() == 0) return;
  const Instant now = dependencies_.clock.Now();
  WatchPass(passes_.ReadNode(Patience::kWaits, now));
  PlanLook(ObservationsFrom(passes_.summary()), now);
  scheduler_.Request(now);
}

void Node::Slept(Duration slept) {
  dependencies_.pods.PutOffEnds(slept);
  passes_.Slept(slept, dependencies_.clock.Now());
}

SavedNode Node::Saved() const {
  return SavedOf(passes_.standing(), passes_.policy()->thresholds, dependencies_.clock.Now());
}

Snapshot Node::MakeSnapshot() const {
  return SnapshotOf(passes_, trends_, dependencies_, scheduler_.NextDeadline());
}

// While an eviction of an earlier agent is awaited, there may be no pass.
void Node::Begin() {
  const Instant now = dependencies_.clock.Now();
  WatchPass(passes_.ReadNode(Patience::kWaits, now));
  PlanLook(ObservationsFrom(passes_.summary()), now);
  Advance();
}

void Node::Advance() {
  const Instant now = dependencies_.clock.Now();
  dependencies_.pods.Advance(now);
  CheckCleanup(now);
  CheckReclaim(now);
  if (dependencies_.soft != nullptr) TakeAnswers(now);
  if (looks_.Begin(now)) Look();
  if (scheduler_.Begin(now)) StartWalk();
  WatchOverWalk();
}

std::optional<Instant> Node::NextDeadline() const {
  std::optional<Instant> next;
  if (scheduler_.measuring()) next = walks_.NextDeadline();
  for (const auto& deadline : {dependencies_.pods.NextDeadline(), scheduler_.NextDeadline(),
                               passes_.standing().wait.NextDeadline(),
                               dependencies_.reclaimer.NextDeadline(), looks_.due()}) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  }
  return next;
}

// ---- passes

// A notification that comes too soon after another one makes it due, and no more.
void Node::MemoryCrossed() {
  const Instant now = dependencies_.clock.Now();
  ++counters_.memory_notifications;
  if (!woken_at_) woken_at_ = now;
  looks_.Wake(kLevelSpacing, now);
  if (looks_.Begin(now)) Look();
}

void Node::Stalled() {
  const Instant now = dependencies_.clock.Now();
  looks_.Wake(kStallSpacing, now);
  if (looks_.Begin(now)) Look();
}

void Node::Look() {
  const Instant now = dependencies_.clock.Now();
  ++counters_.looks;
  const ReadingPlan plan = passes_.ReadNode(Patience::kNone, now);
  passes_.Hasten(plan);
  passes_.pacing().EndPauseUnless(passes_.policy()->thresholds, plan.evaluation.overdue);
  if (HasNews(plan, now)) {
    if (!woken_at_) woken_at_ = now;
    WatchPass(plan);
  }
  woken_at_.reset();
  PlanLook(plan.observations, now);
}

// What a pass has acted for is left to the next, unless pods are ending or an eviction waits, which
// a look may end. Evictions for a disk are left to the other passes.
bool Node::HasNews(const ReadingPlan& plan, Instant now) {
  const auto& thresholds = passes_.policy()->thresholds;
  const Evaluation& evaluation = plan.evaluation;
  if (IsDue(pass_asked_for_, now)) {
    pass_asked_for_.reset();
    acted_.reset();
  }
  acted_ &= evaluation.acting;
  if (const auto& last = passes_.record().last) {
    acted_ &= ~NewsOfMargins(thresholds, *last, evaluation, plan.observations);
  }
  if (passes_.pacing().FollowedSince(passes_.standing().wait.hard(), now)) {
    acted_ &= ~WithoutDisks(thresholds, evaluation.acting);
  }
  return jettison::HasNews(evaluation, state(), acted_);
}

void Node::PlanLook(const Observations& seen, Instant now) {
  trends_.Take(seen, now);
  const NodeLook before = std::exchange(last_look_, {.seen = seen, .at = now});
  looks_.Ask(now + NextLook(passes_.policy().lines(), before, last_look_));
  const auto since = passes_.pacing().FollowedSince(passes_.standing().wait.hard(), now);
  if (since) looks_.Ask(now + NextPaceLook(*since, now));
  if (grace_end_ && *grace_end_ > now) looks_.Ask(*grace_end_);
  if (pass_asked_for_) looks_.Ask(*pass_asked_for_);
  Rearm(now);
}

void Node::AskForPass(Instant at) {
  pass_asked_for_ = std::min(pass_asked_for_.value_or(at), at);
  looks_.Ask(at);
}

void Node::WatchPass(const ReadingPlan& plan) {
  const Instant now = plan.now;
  const PassCause cause{.kind = PassKind::kWatch,
                        .woken = std::exchange(woken_at_, std::nullopt).value_or(now),
                        .next_by_clock = NextByClock(now)};
  if (plan.disk) return PassWithoutDiskUse(plan, cause);
  walks_.DropDemand();
  if (!passes_.MayDecide(plan)) return;
  const PassDecision decision = passes_.Decide(plan, cause);
  const bool same_conditions = plan.evaluation.next.conditions == state().conditions;
  if (same_conditions && passes_.IsReported(plan, decision)) return;
  AfterPass(passes_.Run(plan, decision, cause), cause, now);
}

// A threshold on a disk that waits for disk use does not delay other thresholds.
void Node::PassWithoutDiskUse(const ReadingPlan& plan, const PassCause& cause) {
  const Instant now = plan.now;
  const std::vector<Threshold>& thresholds = passes_.policy()->thresholds;
  const bool hard = thresholds[*plan.disk].IsHard();
  if (walks_.Await(now, hard) && !scheduler_.measuring()) scheduler_.Request(now);
  const PassDecision decision = passes_.DecideWith(nullptr, plan, cause);
  const auto& acts_for = decision.decision.threshold;
  const bool for_disk = acts_for && IsDisk(thresholds[*acts_for]);
  if (plan.evaluation.next.conditions == state().conditions) {
    const bool is_done =
        for_disk ? walks_.IsDoneWithout(now, hard) : passes_.IsReported(plan, decision);
    if (is_done) return;
  }
  if (for_disk) walks_.PassedWithout(now);
  const CycleReport& report = passes_.Run(plan, decision, cause);
  AfterPass(report, cause, now);
  // The reclaim may have been enough, or has only begun; when it ends, the disk is looked at again.
  const bool settled = report.relieved_by_reclaim || report.reclaim_under_way;
  if (for_disk && settled) walks_.DropDemand();
}

void Node::FullPass(const ReadingPlan& plan, const DiskUse& disk, DiskAge age) {
  const Instant now = plan.now;
  // Storage limits are no hard threshold, so they wait for the clean-up.
  const bool limits = !passes_.standing().wait.active();
  const PassCause cause{.kind = limits ? PassKind::kFull : PassKind::kWatch,
                        .woken = std::exchange(woken_at_, std::nullopt).value_or(now),
                        .next_by_clock = NextScheduled(now),
                        .disk_age = age};
  walks_.Passed(now);
  if (passes_.MayDecide(plan)) {
    AfterPass(passes_.Run(plan, passes_.DecideWith(&disk, plan, cause), cause), cause, now);
    passes_.KeepMeasured(disk, now);
    if (!dependencies_.reclaimer.UnderWay()) dependencies_.reclaimer.Forget();
    CollectGarbage(now);
  }
  dependencies_.figures.ForgetOthers(dependencies_.pods.Active());
  if (!passes_.standing().wait.active()) dependencies_.figures.TakeMounts();
  if (dependencies_.on_full_pass) dependencies_.on_full_pass();
}

void Node::AfterPass(const CycleReport& report, const PassCause& cause, Instant now) {
  if (report.reclaim_under_way) {
    reclaim_awaited_ = true;
    reclaim_is_scheduled_ = reclaim_is_scheduled_ || !cause.next_by_clock;
  }
  // The end of the pause is a full pass, because the kubelet would look at everything. If pods are
  // awaited, that pass is requested when they are gone.
  if (report.pause && !passes_.standing().wait.active()) scheduler_.Schedule(report.pause->until);
  grace_end_ = NextGraceEnd(passes_.policy()->thresholds, report.evaluation);
  acted_ = report.evaluation.acting;
  if (!report.evictions.empty()) trends_.BeginAnew();
  PlanLook(report.observations, now);
}

// The first collection is made as soon as the wanted pods are known: an earlier agent may have been
// killed while it removed the remains of a pod.
void Node::CollectGarbage(Instant now) {
  const bool first = !gc_began_ && dependencies_.pods.StandingForGc().all_sources_ready;
  if (!first && now < next_gc_) return;
  gc_began_ = gc_began_ || first;
  next_gc_ = now + kGcInterval;
  ForgetDeadContainers(dependencies_.pods, settings_.container_gc, ForgetOf::kRestartingPodsOnly,
                       now);
  if (dependencies_.collect_remains) dependencies_.collect_remains();
}

void Node::CheckCleanup(Instant now) {
  if (passes_.CheckCleanup(now)) LookAgain(now);
}

void Node::LookAgain(Instant now) {
  if (scheduler_.measuring()) AskForPass(now);
  scheduler_.Schedule(now);
}

// If a full pass is being measured when a reclaim ends, that pass continues from the reclaim.
void Node::CheckReclaim(Instant now) {
  dependencies_.reclaimer.Advance(now);
  if (!reclaim_awaited_ || dependencies_.reclaimer.UnderWay()) return;
  reclaim_awaited_ = false;
  if (scheduler_.measuring()) {
    AskForPass(now);
  } else {
    reclaim_is_scheduled_ ? scheduler_.Schedule(now) : scheduler_.Request(now);
  }
  reclaim_is_scheduled_ = false;
}

void Node::TakeAnswers(Instant now) {
  while (const auto answer = dependencies_.soft->TakeAnswer()) {
    if (answer->granted) {
      const CycleReport* const report = passes_.Granted(answer->order, now);
      if (report != nullptr) AfterPass(*report, {}, now);
      continue;
    }
    AskForPass(now);
    const auto& last = passes_.record().last;
    if (last && last->acting_for && IsDisk(*last->acting_for)) scheduler_.Request(now);
  }
}

// ---- walks through pods' files

// Decisions by the node's own figures are not postponed until the walk is over.
void Node::StartWalk() {
  if (!walks_.AreNeeded()) return DiskMeasured({});
  const ReadingPlan plan = passes_.ReadNode(Patience::kWaits, dependencies_.clock.Now());
  if (walks_.LastServes(plan)) {
    FullPass(plan, dependencies_.disk_walks.LastKnown(), DiskAge::kServes);
    return scheduler_.Done(dependencies_.clock.Now());
  }
  const auto next_scheduled = NextScheduled(plan.now);
  walks_.Begin(plan, next_scheduled.value_or(plan.now));
  if (jettison::HasNews(plan.evaluation, state(), {})) {
    WatchPass(plan);
  } else if (!next_scheduled) {
    walks_.Evaluated(plan.now);
  }
}

// While a walk is under way, evaluations replace full passes.
std::optional<Instant> Node::NextByClock(Instant now) {
  return scheduler_.measuring() ? walks_.NextEvaluation(now) : scheduler_.NextScheduled();
}

std::optional<Instant> Node::NextScheduled(Instant now) {
  return scheduler_.IsScheduled(now) ? std::nullopt : scheduler_.NextScheduled();
}

void Node::DiskMeasured(const DiskUse& disk) {
  if (!scheduler_.measuring()) return;
  const ReadingPlan plan = passes_.ReadNode(Patience::kWaits, dependencies_.clock.Now());
  switch (walks_.Judge(plan, disk)) {
    case WalkResult::kWalksAgain: return;
    case WalkResult::kUnread: return scheduler_.PutOff(plan.now + kReadAgainAfter);
    case WalkResult::kCounts:
      FullPass(plan, disk, DiskAge::kCounts);
      return scheduler_.Done(dependencies_.clock.Now());
  }
}

// Does what cannot wait until the walk is over.
void Node::WatchOverWalk() {
  const Instant now = dependencies_.clock.Now();
  if (scheduler_.measuring()) {
    if (walks_.EvaluationIsDue(now)) WatchPass(passes_.ReadNode(Patience::kWaits, now));
    if (walks_.HaveKeptWaiting(now)) {
      FullPass(passes_.ReadNode(Patience::kWaits, now), dependencies_.disk_walks.LastKnown(),
               DiskAge::kCounts);
      if (walks_.DiskIsPaused(now, false) && !passes_.standing().wait.active()) {
        AskForPass(passes_.pacing().paused().pause()->until);
      }
    }
  }
  walks_.SetUrgency();
}

void Node::Rearm(Instant now) {
  if (!settings_.memory_notifications || now < armed_at_ + kArmSpacing) return;
  std::vector<MemoryLevel> levels = MemoryLevels(passes_.policy().lines(), passes_.summary().node);
  if (!LevelsMoved(armed_, levels)) return;
  armed_ = levels;
  armed_at_ = now;
  dependencies_.notifier.Arm(std::move(levels));
}

}  // namespace jettison
