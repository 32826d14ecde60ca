#include "agent/passes/node.h"

#include <algorithm>
#include <utility>

#include "agent/evictions/node_actions.h"
#include "agent/passes/node_snapshot.h"
#include "agent/passes/pass_news.h"
#include "core/decide/decide.h"
#include "core/evaluate/grace_end.h"
#include "core/thresholds/containerfs_thresholds.h"

namespace jettison {
namespace {

constexpr Duration kGcInterval = std::chrono::minutes(1);

bool IsDue(std::optional<Instant> deadline, Instant now) {
  return deadline && *deadline <= now;
}

// A level that jitter crosses again and again must not use up the processor.
constexpr Duration kWakeupSpacing = std::chrono::milliseconds(1);
// Levels that move all the time, because the page cache does, are not registered all the time.
constexpr Duration kArmSpacing = std::chrono::milliseconds(100);

// The pause after a walk that could not read everything.
constexpr Duration kReadAgainAfter = std::chrono::milliseconds(200);

}  // namespace

Node::Node(NodeSettings settings, const NodeEdges& edges)
    : settings_(std::move(settings)),
      layout_known_(settings_.layout_known),
      edges_(edges),
      passes_(settings_, edges, counters_),
      scheduler_(settings_.monitoring_interval, edges.clock.Now()),
      walks_(settings_, edges_, passes_),
      looks_(settings_.look_ahead),
      next_gc_(edges.clock.Now() + kGcInterval) {}

void Node::PodLost(std::string_view pod_uid) {
  passes_.pacing().Lost(pod_uid, edges_.clock.Now());
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
  passes_.TakePolicy(std::move(policy), edges_.clock.Now());
  acted_.reset();  // the thresholds are others
  LookAtOnce();
}

void Node::LookAtOnce() {
  if (passes() == 0) return;
  const Instant now = edges_.clock.Now();
  WatchPass(ReadNode());
  Rearm(now);
  PlanLook(passes_.Seen(), now);
  scheduler_.Request(now);
}

void Node::Slept(Duration slept) {
  edges_.pods.PutOffEnds(slept);
  passes_.Slept(slept, edges_.clock.Now());
}

KeptNode Node::Kept() const {
  return KeptOf(passes_.standing(), passes_.policy()->thresholds, edges_.clock.Now());
}

Snapshot Node::MakeSnapshot() const {
  return SnapshotOf(passes_, trends_, edges_, scheduler_.NextDeadline());
}

void Node::Begin() {
  WatchPass(ReadNode());
  if (passes() == 0) {
    // An eviction of an earlier agent is awaited, which postpones the pass; memory is watched.
    const Instant now = edges_.clock.Now();
    PlanLook(passes_.Seen(), now);
    PlanPaceLook(now);
    Rearm(now);
  }
  Advance();
}

void Node::Advance() {
  const Instant now = edges_.clock.Now();
  edges_.pods.Advance(now);
  CheckCleanup(now);
  CheckReclaim(now);
  if (edges_.soft != nullptr) TakeAnswers(now);
  if (watches_.Begin(now)) WatchPass(ReadNodeForWatch());
  if (IsDue(looks_.due(), now)) LookAtMemory();
  if (IsDue(passes_.pacing().look_due(), now)) LookAtPace();
  // While an eviction is awaited, a watch pass determines whether anything may be decided at all.
  if (scheduler_.Begin(now)) StartWalk();
  WatchOverWalk();
  if (settings_.memory_notifications || settings_.look_ahead) {
    warm_.Keep(edges_.pods.Active(), edges_.figures);
    passes_.KeepPods();
  }
}

std::optional<Instant> Node::NextDeadline() const {
  std::optional<Instant> next;
  if (scheduler_.measuring()) next = walks_.NextDeadline();
  for (const auto& deadline :
       {edges_.pods.NextDeadline(), scheduler_.NextDeadline(),
        passes_.standing().wait.NextDeadline(), edges_.reclaimer.NextDeadline(), watches_.due(),
        looks_.due(), passes_.pacing().look_due()}) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  }
  return next;
}

// ---- passes

ReadingPlan Node::ReadNode() {
  const Instant now = edges_.clock.Now();
  rest_left_out_ = false;
  return passes_.ReadNode(NodeReading::kAll, now);
}

ReadingPlan Node::ReadNodeForWatch() {
  return WithRest(passes_.ReadNode(NodeReading::kMemory, edges_.clock.Now()));
}

// Figures that a pass has used before are not fresh, so no threshold on them acts in this one.
ReadingPlan Node::WithRest(const ReadingPlan& plan) {
  rest_left_out_ = !rest_left_out_ && passes_.ActsForMemory(plan);
  return rest_left_out_ ? plan : passes_.ReadNode(NodeReading::kAllButMemory, plan.now);
}

void Node::WatchPass(const ReadingPlan& given) {
  const ReadingPlan plan = passes_.Allowed(given);
  const Instant now = plan.now;
  const PassCause cause{.kind = PassKind::kWatch,
                        .woken = std::exchange(woken_at_, std::nullopt).value_or(now),
                        .next_by_clock = NextByClock(now)};
  next_wakeup_ = now + kWakeupSpacing;
  if (walks_.ActsForDisk(plan)) return PassWithoutDiskUse(plan, cause);
  walks_.DropDemand();
  if (!passes_.MayDecide(plan.threshold)) return;
  const PassDecision decision = passes_.Decide(plan, cause);
  const bool same_conditions = plan.evaluation.next.conditions == state().conditions;
  if (same_conditions && passes_.IsTold(plan, decision)) return PlanPaceLook(now);
  AfterPass(passes_.Run(plan, decision, cause), cause, now);
}

// A threshold on a disk that waits for disk use does not delay other thresholds.
void Node::PassWithoutDiskUse(const ReadingPlan& plan, const PassCause& cause) {
  const Instant now = plan.now;
  const auto other = plan.beside_disks;
  const bool hard = passes_.policy()->thresholds[*plan.threshold].IsHard();
  if (passes_.MayDecide(plan.threshold) && walks_.Await(now, hard) && !scheduler_.measuring()) {
    scheduler_.Request(now);
  }
  if (!passes_.MayDecide(other ? other : plan.threshold)) return;
  const bool same_conditions = plan.evaluation.next.conditions == state().conditions;
  if (!other) {
    if (same_conditions && walks_.IsDoneWithout(now, hard)) return;
    walks_.PassedWithout(now);
  }
  const PassDecision decision = passes_.DecideWithoutDisk(plan, cause);
  if (other && same_conditions && passes_.IsTold(plan, decision)) return PlanPaceLook(now);
  const CycleReport& report = passes_.Run(plan, decision, cause);
  AfterPass(report, cause, now);
  // The reclaim may have been enough, or has only begun; when it ends, the disk is looked at again.
  const bool settled = report.relieved_by_reclaim || report.reclaim_under_way;
  if (!other && settled) walks_.DropDemand();
}

void Node::FullPass(const ReadingPlan& given, const DiskUse& disk, DiskAge age) {
  const ReadingPlan plan = passes_.Allowed(given);
  const Instant now = plan.now;
  // Storage limits are no hard threshold, so they wait for the clean-up.
  const bool limits = !passes_.standing().wait.active();
  const PassCause cause{.kind = limits ? PassKind::kFull : PassKind::kWatch,
                        .woken = std::exchange(woken_at_, std::nullopt).value_or(now),
                        .next_by_clock = NextScheduled(now),
                        .disk_age = age};
  walks_.Passed(now);
  if (passes_.MayDecide(plan.threshold)) {
    AfterPass(passes_.Run(plan, passes_.DecideWith(disk, plan, cause), cause), cause, now);
    passes_.KeepMeasured(disk, now);
    if (!edges_.reclaimer.UnderWay()) edges_.reclaimer.Forget();
    CollectGarbage(now);
  }
  edges_.figures.ForgetOthers(edges_.pods.Active());
  if (!passes_.standing().wait.active()) edges_.figures.TakeMounts();
  if (edges_.on_full_pass) edges_.on_full_pass();
}

void Node::AfterPass(const CycleReport& report, const PassCause& cause, Instant now) {
  if (HasOutcome(report, EvictOutcome::kEnding)) watches_.Set(now + settings_.monitoring_interval);
  if (report.reclaim_under_way) {
    reclaim_awaited_ = true;
    reclaim_is_scheduled_ = reclaim_is_scheduled_ || !cause.next_by_clock;
  }
  // The end of the pause is a full pass, because the kubelet would look at everything. If pods are
  // awaited, that pass is requested when they are gone.
  if (report.pause && !passes_.standing().wait.active()) scheduler_.Schedule(report.pause->until);
  PlanPaceLook(now);
  // A grace period that ends between two passes causes a pass at its end.
  const auto grace_end = NextGraceEnd(passes_.policy()->thresholds, report.evaluation);
  if (grace_end) scheduler_.Request(*grace_end);
  walks_.evaluations().SetGraceEnd(grace_end);
  acted_ = report.evaluation.acting;
  if (!report.evictions.empty()) trends_.BeginAnew();
  Rearm(now);
  PlanLook(report.observations, now);
}

// The first collection is made as soon as the wanted pods are known: an earlier agent may have been
// killed while it removed the remains of a pod.
void Node::CollectGarbage(Instant now) {
  const bool first = !gc_began_ && edges_.pods.StandingForGc().all_sources_ready;
  if (!first && now < next_gc_) return;
  gc_began_ = gc_began_ || first;
  next_gc_ = now + kGcInterval;
  ForgetDeadContainers(edges_.pods, settings_.container_gc, ForgetOf::kRestartingPodsOnly, now);
  if (edges_.collect_remains) edges_.collect_remains();
}

void Node::CheckCleanup(Instant now) {
  if (passes_.CheckCleanup(now)) {
    watches_.Clear();
    return LookAgain(now);
  }
  if (passes_.standing().wait.active() && !watches_.due()) {
    watches_.Set(now + settings_.monitoring_interval);
  }
}

void Node::LookAgain(Instant now) {
  if (scheduler_.measuring()) watches_.Ask(now);
  scheduler_.Schedule(now);
}

// If a full pass is being measured when a reclaim ends, that pass continues from the reclaim.
void Node::CheckReclaim(Instant now) {
  edges_.reclaimer.Advance(now);
  if (!reclaim_awaited_ || edges_.reclaimer.UnderWay()) return;
  reclaim_awaited_ = false;
  if (scheduler_.measuring()) {
    watches_.Ask(now);
  } else {
    reclaim_is_scheduled_ ? scheduler_.Schedule(now) : scheduler_.Request(now);
  }
  reclaim_is_scheduled_ = false;
}

void Node::TakeAnswers(Instant now) {
  while (const auto answer = edges_.soft->TakeAnswer()) {
    if (answer->granted) {
      const CycleReport* const report = passes_.Granted(answer->order, now);
      if (report != nullptr) AfterPass(*report, {}, now);
      continue;
    }
    watches_.Ask(now);
    const auto& last = passes_.record().last;
    if (last && last->acting_for && IsDisk(*last->acting_for)) scheduler_.Request(now);
  }
}

// ---- walks through pods' files

// Decisions by the node's own figures are not postponed until the walk is over.
void Node::StartWalk() {
  if (!walks_.AreNeeded()) return DiskMeasured({});
  const ReadingPlan plan = ReadNode();
  if (walks_.LastServes(plan)) {
    FullPass(plan, edges_.disk_walks.LastKnown(), DiskAge::kServes);
    return scheduler_.Done(edges_.clock.Now());
  }
  const auto next_scheduled = NextScheduled(plan.now);
  walks_.Begin(plan, next_scheduled.value_or(plan.now));
  if (HasNews(plan.evaluation, state())) {
    WatchPass(plan);
  } else if (!next_scheduled) {
    walks_.evaluations().Done(plan.now);
  }
}

// While a walk is under way, evaluations replace full passes.
std::optional<Instant> Node::NextByClock(Instant now) {
  return scheduler_.measuring() ? walks_.evaluations().Take(now) : scheduler_.NextScheduled();
}

std::optional<Instant> Node::NextScheduled(Instant now) {
  return scheduler_.IsScheduled(now) ? std::nullopt : scheduler_.NextScheduled();
}

void Node::DiskMeasured(const DiskUse& disk) {
  if (!scheduler_.measuring()) return;
  const ReadingPlan plan = ReadNode();
  switch (walks_.Judge(passes_.Allowed(plan), disk)) {
    case WalkResult::kWalksAgain: return;
    case WalkResult::kUnread: return scheduler_.PutOff(plan.now + kReadAgainAfter);
    case WalkResult::kCounts:
      FullPass(plan, disk, DiskAge::kCounts);
      return scheduler_.Done(edges_.clock.Now());
  }
}

// Does what cannot wait until the walk is over.
void Node::WatchOverWalk() {
  const Instant now = edges_.clock.Now();
  if (scheduler_.measuring()) {
    if (walks_.evaluations().Begin(now)) WatchPass(ReadNode());
    if (walks_.HaveKeptWaiting(now)) {
      FullPass(ReadNode(), edges_.disk_walks.LastKnown(), DiskAge::kCounts);
      if (walks_.DiskIsPaused(now, false) && !passes_.standing().wait.active()) {
        watches_.Ask(passes_.pacing().paused().pause()->until);
      }
    }
  }
  walks_.SetUrgency();
}

// ---- between passes

void Node::MemoryCrossed() {
  const Instant now = edges_.clock.Now();
  ++counters_.memory_notifications;
  if (!woken_at_) woken_at_ = now;
  if (now < next_wakeup_) return watches_.Ask(next_wakeup_);
  WatchPass(ReadNodeForWatch());
}

void Node::Stalled() {
  if (looks_.Stalled(edges_.clock.Now())) LookAtMemory();
}

// A pass is made only if it would report something new. Everything else can wait for the next one.
void Node::LookAtMemory() {
  const Instant now = edges_.clock.Now();
  ++counters_.looks;
  passes_.ReadNodeMemory();
  const Observations seen = passes_.Seen();
  const Evaluation evaluation = passes_.EvaluateNow(now);
  acted_ &= evaluation.acting;
  const auto& thresholds = passes_.policy()->thresholds;
  if (const auto& last = passes_.record().last) {
    acted_ &= ~NewsOfMargins(thresholds, *last, evaluation, seen);
  }
  if (HasNewsOfMemory(thresholds, evaluation, state(), acted_)) {
    WatchPassAfterLook(WithRest(passes_.ReadNode(NodeReading::kNothing, now)));
  }
  woken_at_.reset();
  PlanLook(seen, now);
}

void Node::WatchPassAfterLook(const ReadingPlan& plan) {
  woken_at_ = plan.now;
  WatchPass(plan);
}

void Node::PlanLook(const Observations& seen, Instant now) {
  trends_.Take(seen, now);
  looks_.Plan(passes_.policy().lines(), seen, now);
}

void Node::LookAtPace() {
  const Instant now = edges_.clock.Now();
  ++counters_.looks;
  const NodeReading left_out = passes_.ReadForPace(now);
  passes_.Hasten(now);
  trends_.Take(passes_.Seen(), now);
  const Evaluation evaluation = passes_.EvaluateNow(now);
  const auto& thresholds = passes_.policy()->thresholds;
  passes_.pacing().EndPauseUnless(thresholds, evaluation.overdue);
  PlanPaceLook(now);
  // Evictions for a disk are left to the other passes.
  if (WithoutDisks(thresholds, evaluation.acting).any()) {
    WatchPassAfterLook(passes_.ReadNode(left_out, now));
  }
}

void Node::PlanPaceLook(Instant now) {
  passes_.pacing().PlanLook(passes_.standing().wait.hard(), now);
}

void Node::Rearm(Instant now) {
  if (!settings_.memory_notifications || now < armed_at_ + kArmSpacing) return;
  std::vector<MemoryLevel> levels = MemoryLevels(passes_.policy().lines(), passes_.summary().node);
  if (!LevelsMoved(armed_, levels)) return;
  armed_ = levels;
  armed_at_ = now;
  edges_.notifier.Arm(std::move(levels));
}

}  // namespace jettison
