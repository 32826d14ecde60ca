#include "agent/node.h"

#include <algorithm>
#include <utility>

#include "agent/node_actions.h"
#include "agent/pass_log.h"
#include "decide/eviction_order.h"
#include "decide/ranking.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;

// A level that is crossed again and again by jitter must not take the processor: what woke the
// agent without need is not looked at again sooner than this.
constexpr Duration kWatchSpacing = milliseconds(1);
constexpr Duration kGcInterval = std::chrono::minutes(1);

std::shared_ptr<const PassPolicy> WithoutStorageLimits(PassPolicy policy) {
  policy.local_storage_capacity_isolation = false;
  return std::make_shared<const PassPolicy>(std::move(policy));
}

}  // namespace

Node::Node(NodeSettings settings, const NodeEdges& edges)
    : settings_(std::move(settings)),
      policy_(std::make_shared<const PassPolicy>(settings_.policy)),
      watch_policy_(WithoutStorageLimits(settings_.policy)),
      edges_(edges),
      scheduler_(settings_.monitoring_interval, edges.clock.Now()),
      next_gc_(edges.clock.Now() + kGcInterval) {
  standing_.condition_changed_at.fill(edges.clock.Now());
}

void Node::TakePolicy() {
  policy_ = std::make_shared<const PassPolicy>(settings_.policy);
  watch_policy_ = WithoutStorageLimits(settings_.policy);
}

KeptNode Node::Kept() const {
  return KeptOf(standing_, settings_.policy.thresholds);
}

void Node::Slept(Duration slept) {
  edges_.pods.PutOffEnds(slept);
  PutOff(slept, edges_.clock.Now(), standing_);
}

void Node::Resume(const KeptNode& kept) {
  const Instant now = edges_.clock.Now();
  jettison::Resume(kept, settings_.policy.thresholds, now, standing_);
  if (!kept.wait || !standing_.wait.active()) return;
  // The pace of the resources that evictions are under way for goes on with it.
  const Instant began = *standing_.wait.NextDeadline() - kCleanupTimeout;
  for (const Resource resource : kept.wait->hard_for) {
    pace_.Evicted(resource, true, std::chrono::seconds(kHardEvictionGracePeriodSeconds), began);
  }
  pace_since_ = now;
}

void Node::Begin() {
  WatchPass();
  if (passes_ == 0) {
    // An eviction of an agent before is awaited, which puts the pass off; memory is watched.
    const Instant now = edges_.clock.Now();
    PlanLook(ObservationsFrom(summary_), now);
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
  if (watch_due_ && *watch_due_ <= now) {
    watch_due_.reset();
    WatchPass();
  }
  if (look_due_ && *look_due_ <= now) LookAtMemory();
  if (pace_due_ && *pace_due_ <= now) LookAtPace();
  // While an eviction is awaited a watch pass says whether anything may be decided at all.
  if (scheduler_.Begin(now)) StartWalk();
  WatchOverWalk();
  KeepWarm();
}

std::optional<Instant> Node::NextDeadline() const {
  std::optional<Instant> next;
  for (const auto& deadline :
       {edges_.pods.NextDeadline(), scheduler_.NextDeadline(), standing_.wait.NextDeadline(),
        edges_.reclaimer.NextDeadline(), watch_due_, look_due_, pace_due_, NextDuringWalk()}) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  }
  return next;
}

void Node::WatchAt(Instant at) {
  watch_due_ = watch_due_ ? std::min(*watch_due_, at) : at;
}

Evaluation Node::EvaluateNow(Instant now) const {
  return Evaluate(settings_.policy.thresholds, settings_.policy.pressure_transition_period,
                  standing_.state, ObservationsFrom(summary_), now);
}

bool Node::MayDecide(std::optional<std::size_t> threshold) const {
  // The first pass after a restart says how the node is, whoever is awaited.
  if (!standing_.wait.active() || (!threshold && passes_ == 0)) return true;
  return threshold && standing_.wait.Allows(settings_.policy.thresholds[*threshold]);
}

void Node::WatchPass() {
  const Instant now = edges_.clock.Now();
  pass_woken_at_ = std::exchange(woken_at_, std::nullopt).value_or(now);
  summary_.node = edges_.figures.ReadNode();
  ReadEnding();
  const Evaluation evaluation = EvaluateNow(now);
  const auto threshold = MostUrgent(settings_.policy.thresholds, evaluation.acting);
  no_watch_before_ = now + kWatchSpacing;
  const auto next_by_clock = NextByClock(now);
  if (threshold && IsDisk(*threshold)) {
    return PassWithoutDiskUse(*threshold, evaluation, next_by_clock, now);
  }
  disk_awaited_since_.reset();
  if (!MayDecide(threshold)) return;
  summary_.pods.clear();
  if (threshold) ReadPodsFor(settings_.policy.thresholds[*threshold].signal);
  PreparePace(threshold, next_by_clock, now);
  const bool same_conditions = evaluation.next.conditions == standing_.state.conditions;
  if (same_conditions && IsToldPause(threshold, now)) return PlanPaceLook(now);
  Run(watch_policy_, now);
  if (now < approach_until_ && !standing_.wait.active()) StayNear(now);
}

// For memory and swap, those of each pod are enough to choose, and containers are only named of the
// one that is chosen: reading what nobody asks for takes longer than everything else together.
void Node::ReadPodsFor(Signal signal) {
  const auto& pods = edges_.pods.Active();
  const Resource resource = ResourceOf(signal);
  if (resource != Resource::kMemory && resource != Resource::kSwap) {
    edges_.figures.ReadPods(pods, nullptr, summary_.pods);
    return;
  }
  edges_.figures.ReadMemoryOf(pods, summary_.pods);
  JoinStats(pods, summary_, scratch_);
  const auto victim = FirstVictim(scratch_, signal, settings_.policy.layout);
  if (victim) edges_.figures.ReadContainersOf(*pods[*victim], summary_.pods[*victim]);
}

void Node::Run(const std::shared_ptr<const PassPolicy>& policy, Instant now) {
  NodePorts ports = {.killer = edges_.killer, .reclaimer = edges_.reclaimer, .summaries = *this};
  const NodeConditions before = standing_.state.conditions;
  RecordedPass pass{.number = passes_ + 1, .policy = policy, .before = standing_.state};
  const std::vector<const PodFacts*> pods = edges_.pods.Active();
  auto report = std::make_shared<CycleReport>(
      RunPass(*policy, {.now = now, .summary = summary_, .pods = pods, .pace = pace_input_}, ports,
              standing_.state, scratch_));
  if (report->acting_for) report->survivors = edges_.pods.KillSurvivors(now);
  if (edges_.ladder != nullptr) report->reclaimed = edges_.ladder->TakeReclaimed();
  report->early_kills = std::exchange(early_kills_, {});
  PassTimes times = {.woken = pass_woken_at_, .began = now, .decided = edges_.clock.Now()};
  ++passes_;
  last_report_ = report;
  reclaim_awaited_ = reclaim_awaited_ || report->reclaim_under_way;
  if (!IsKeptAlike(pass.before, standing_.state)) ++changes_;
  AfterPass(*report, before, now);
  PlanLook(report->observations, now);
  pass.pace = pace_input_;
  pass.after_reclaim = std::exchange(after_reclaim_, std::nullopt);
  if (settings_.record_passes) Record(std::move(pass), pods);
  times.ended = edges_.clock.Now();
  CountPass(*report, policy == watch_policy_ ? PassKind::kWatch : PassKind::kFull, times,
            settings_.dry_run, counters_);
}

// What a reclaim is judged by: file systems and memory of the node, pods do not count.
Result<Summary> Node::ReadSummary() {
  Summary summary;
  summary.node = edges_.figures.ReadNode();
  if (settings_.record_passes) after_reclaim_ = summary;
  return summary;
}

void Node::AfterPass(const CycleReport& report, NodeConditions before, Instant now) {
  AwaitCleanup(report, now);
  for (const NodeConditionType type : kAllNodeConditions) {
    if (before.Has(type) != report.conditions().Has(type))
      standing_.condition_changed_at[IndexOf(type)] = now;
  }
  const bool changed = !(before == report.conditions());
  if (changed && edges_.on_conditions) edges_.on_conditions(before, report.conditions(), now);
  LogPass(report, before, edges_.pods, edges_.events, edges_.log);
  TakePause(report, now);
  edges_.pods.PassDone(report.conditions(), now, report.evaluation.overdue.any());
  ScheduleGraceEnds(report.evaluation);
  Rearm(now);
}

void Node::AwaitCleanup(const CycleReport& report, Instant now) {
  const std::vector<std::string> ending = edges_.killer.TakeEnding();
  const Resource resource =
      report.ranked_for ? ResourceOf(*report.ranked_for) : Resource::kEphemeralStorage;
  const bool hard = std::ranges::any_of(report.evictions, [](const EvictionRecord& eviction) {
    return eviction.order.grace_period_seconds <= kHardEvictionGracePeriodSeconds;
  });
  // A dry run keeps to the pace that it would have had.
  if (settings_.dry_run && !report.evictions.empty()) {
    pace_.Evicted(resource, hard, Duration{0}, now);
    pace_.CleanedUp(true, now);
  }
  if (ending.empty()) return;
  for (const std::string& uid : ending) {
    edges_.disk_walks.Forget(uid);
    disk_measured_at_.erase(uid);
  }
  pace_.Evicted(resource, hard, std::chrono::seconds(kHardEvictionGracePeriodSeconds), now);
  pace_since_ = now;
  standing_.wait.Begin(ending, resource, hard, now);
  ++changes_;
  watch_due_ = now + settings_.monitoring_interval;
}

void Node::CheckCleanup(Instant now) {
  const auto outcome =
      standing_.wait.Check([this](std::string_view uid) { return edges_.pods.IsOnNode(uid); }, now);
  if (!outcome) {
    if (standing_.wait.active() && !watch_due_) watch_due_ = now + settings_.monitoring_interval;
    return;
  }
  ++changes_;
  if (*outcome == EvictionWait::Outcome::kTimedOut) {
    edges_.log.Warn("eviction manager: timed out waiting for pods to be cleaned up");
  } else {
    edges_.log.Info("eviction manager: pods were cleaned up");
  }
  pace_.CleanedUp(*outcome != EvictionWait::Outcome::kTimedOut, now);
  if (edges_.on_cleanup) edges_.on_cleanup(*outcome != EvictionWait::Outcome::kTimedOut, now);
  watch_due_.reset();
  LookAgain(now);
}

// At once: a full pass, or, where a walk is under way and may take its time, what can be said
// without it.
void Node::LookAgain(Instant now) {
  if (scheduler_.measuring()) WatchAt(now);
  scheduler_.Request(now);
}

// A full pass that is being measured when a reclaim ends is the one that goes on from there.
void Node::CheckReclaim(Instant now) {
  edges_.reclaimer.Advance(now);
  if (!reclaim_awaited_ || edges_.reclaimer.UnderWay()) return;
  reclaim_awaited_ = false;
  if (scheduler_.measuring()) {
    WatchAt(now);
  } else {
    scheduler_.Request(now);
  }
}

// A grace period that ends between two passes is acted for when it ends.
void Node::ScheduleGraceEnds(const Evaluation& evaluation) {
  grace_ends_.reset();
  for (std::size_t i = 0; i < settings_.policy.thresholds.size(); ++i) {
    const auto& since = evaluation.next.first_observed_at[i];
    if (!evaluation.met[i] || evaluation.overdue[i] || !since) continue;
    const Instant end = *since + settings_.policy.thresholds[i].grace_period;
    scheduler_.Request(end);
    grace_ends_ = grace_ends_ ? std::min(*grace_ends_, end) : end;
  }
}

void Node::CollectGarbage(Instant now) {
  if (now < next_gc_) return;
  next_gc_ = now + kGcInterval;
  ForgetDeadContainers(edges_.pods, settings_.container_gc, ForgetOf::kRestartingPodsOnly, now);
  if (edges_.collect_remains) edges_.collect_remains();
}

}  // namespace jettison
