#include "agent/passes/node_passes.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/decide/decide.h"
#include "core/decide/eviction_order.h"
#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

// A question to the API server is repeated often, but its outcome is logged once, by the part that
// asks.
bool IsSaidByWhoAsks(PaceReason reason) {
  return reason == PaceReason::kAsked || reason == PaceReason::kApiAway ||
         reason == PaceReason::kNoRight;
}

}  // namespace

NodePasses::NodePasses(const NodeSettings& settings, const NodeDependencies& dependencies,
                       PassCounters& counters)
    : dependencies_(dependencies),
      record_passes_(settings.record_passes),
      counters_(counters),
      policies_(settings.policy),
      pods_(dependencies.figures, summary_),
      pacing_(dependencies) {
  standing_.condition_changed_at.fill(dependencies.clock.Now());
}

void NodePasses::TakePolicy(PassPolicy policy, Instant now) {
  standing_.state = CarryOver(standing_.state, policies_->thresholds, policy.thresholds);
  TakeAwaited(policy.thresholds, now, standing_);
  policies_ = PassPolicies(std::move(policy));
  asked_.reset();  // its thresholds are no longer in force
  if (!record_.last) return;
  // The last report refers to thresholds by their index, too.
  auto report = std::make_shared<CycleReport>(*record_.last);
  report->evaluation = EvaluateBy(*policies_, standing_.state, report->observations, now);
  record_.last = std::move(report);
}

void NodePasses::Resume(const SavedNode& kept, Instant now) {
  jettison::Resume(kept, policies_->thresholds, now, standing_);
  if (!kept.wait || !standing_.wait.active()) return;
  // The pace of the resources for which evictions are under way continues as well.
  pacing_.Resume(*kept.wait, *standing_.wait.NextDeadline() - kCleanupTimeout, now);
}

// Memory is read after what may be waited for, because it changes fastest.
ReadingPlan NodePasses::ReadNode(Patience patience, Instant now) {
  if (patience == Patience::kWaits) {
    summary_.node = dependencies_.figures.ReadNode();
  } else {
    dependencies_.figures.ReadRestOfNode(summary_.node);
    dependencies_.figures.ReadNodeMemory(summary_.node);
  }
  pacing_.ReadEnding(standing_.wait.active());
  ThresholdSet allowed;
  for (std::size_t i = 0; i < policies_->thresholds.size(); ++i) {
    allowed[i] = standing_.wait.Allows(policies_->thresholds[i]);
  }
  ReadingPlan plan =
      PlanReading(*PolicyOf(PassKind::kWatch), standing_.state, summary_.node, now, allowed);
  pacing_.Seen(plan.observations, now);
  return plan;
}

bool NodePasses::MayDecide(const ReadingPlan& plan) const {
  // The first pass after a restart reports the node's state, even while evictions are awaited.
  const bool is_first = record_.count == 0 && plan.evaluation.acting.none();
  return !standing_.wait.active() || plan.threshold || is_first;
}

void NodePasses::TakePods(const ReadingPlan& plan) {
  spared_.Clear();
  pacing_.SetSoftHold(std::nullopt);
  const std::vector<const PodFacts*>& active = dependencies_.pods.Active();
  const bool is_soft = plan.threshold && !policies_->thresholds[*plan.threshold].IsHard();
  if (dependencies_.soft == nullptr || !is_soft) return pods_.Begin(active);
  pacing_.SetSoftHold(dependencies_.soft->HoldAt(plan.now));
  pods_.Begin(spared_.Among(active, dependencies_.soft->SparedAt(plan.now)));
}

PassDecision NodePasses::Decide(const ReadingPlan& plan, const PassCause& cause) {
  TakePods(plan);
  pods_.ReadFor(plan);
  PassDecision decision = DecideByPods(plan, cause);
  if (decision.decision.victim) pods_.ReadVictim(plan, *decision.decision.victim);
  return decision;
}

PassDecision NodePasses::DecideWith(const DiskUse* disk, const ReadingPlan& plan,
                                    const PassCause& cause) {
  TakePods(plan);
  pods_.ReadAll(disk);
  if (policies_.NeedDiskUse()) {
    record_.pods.MarkStale(disk, cause.disk_age == DiskAge::kCounts, summary_.pods);
  }
  return DecideByPods(plan, cause);
}

PassDecision NodePasses::DecideByPods(const ReadingPlan& plan, const PassCause& cause) {
  pods_.Join();
  const auto pace_of = [&](std::size_t threshold, bool instead) {
    const PacedPass paced = PacedFor(plan, threshold, cause);
    return instead ? pacing_.InputInstead(paced) : pacing_.InputOf(paced);
  };
  PassDecision decision = DecidePass(*PolicyOf(cause.kind), plan, pods_.joined(), pace_of);
  pacing_.SetInput(decision.pace);
  return decision;
}

PacedPass NodePasses::PacedFor(const ReadingPlan& plan, std::size_t threshold,
                               const PassCause& cause) const {
  const Threshold& line = policies_->thresholds[threshold];
  const Observation& seen = *plan.observations[line.signal];
  return {.signal = line.signal,
          .seen = seen,
          .line = QuantityOf(line.value, seen.capacity).Value(),
          .pods = pods_.joined(),
          .layout = policies_->layout,
          .next_by_clock = cause.next_by_clock,
          .now = plan.now};
}

bool NodePasses::IsReported(const ReadingPlan& plan, const PassDecision& decision) const {
  if (!decision.pause) return false;
  const Signal signal = policies_->thresholds[*decision.decision.threshold].signal;
  return pacing_.paused().IsReported(signal, *decision.pause, plan.now);
}

const CycleReport& NodePasses::Run(const ReadingPlan& plan, const PassDecision& decision,
                                   const PassCause& cause) {
  NodePorts ports = {
      .killer = dependencies_.killer, .reclaimer = dependencies_.reclaimer, .summaries = *this};
  RecordedPass pass{
      .number = record_.count + 1, .policy = PolicyOf(cause.kind), .before = standing_.state};
  const std::vector<const PodFacts*>& pods = pods_.pods();
  auto report = std::make_shared<CycleReport>(
      CarryOut({.policy = *pass.policy, .plan = plan, .decision = decision, .pods = pods_.joined()},
               ports, standing_.state));
  NotifyListeners(*report);
  report->spared.assign(spared_.spared().begin(), spared_.spared().end());
  if (report->acting_for) report->survivors = dependencies_.pods.KillSurvivors(plan.now);
  report->early_kills = pacing_.TakeEarlyKills();
  PassTimes times = {.woken = cause.woken, .began = plan.now, .decided = dependencies_.clock.Now()};
  ++record_.count;
  record_.last = report;
  recorded_.reset();
  if (!IsSavedAlike(pass.before, standing_.state)) ++changes_;
  Report(*report, pass.before.conditions, plan.now);
  pass.pace = decision.pace;
  pass.after_reclaim = std::exchange(after_reclaim_, std::nullopt);
  const bool has_asked = report->pause && !decision.pause;
  if (has_asked) {
    asked_ = pass;
    asked_->report = *report;
    asked_->summary = summary_;
    asked_->pods = Keep(pods);
  }
  Record(std::move(pass), cause.kind, pods);
  times.ended = dependencies_.clock.Now();
  CountPass(*report, cause.kind, times, counters_);
  return *record_.last;
}

void NodePasses::NotifyListeners(const CycleReport& report) {
  for (const EvictionRecord& eviction : report.evictions) {
    const Result<EvictOutcome> outcome =
        eviction.outcome ? Result<EvictOutcome>(*eviction.outcome)
                         : Fail(ErrorCode::kInternal, eviction.kill_error.value_or(""));
    for (EvictionListener* listener : dependencies_.listeners) {
      listener->Evicting(eviction.order, outcome, dependencies_.clock.Now());
    }
  }
}

// The figures that show whether a reclaim sufficed: file systems and memory of the node, without
// pods.
Result<Summary> NodePasses::ReadSummary() {
  Summary summary;
  summary.node = dependencies_.figures.ReadNode();
  after_reclaim_ = summary;
  return summary;
}

void NodePasses::Report(const CycleReport& report, NodeConditions before, Instant now) {
  AwaitCleanup(report, now);
  for (const NodeConditionType type : kAllNodeConditions) {
    if (before.Has(type) != report.conditions().Has(type)) {
      standing_.condition_changed_at[IndexOf(type)] = now;
    }
  }
  const bool changed = !(before == report.conditions());
  if (changed && dependencies_.on_conditions)
    dependencies_.on_conditions(before, report.conditions(), now);
  log_.Add(report, before, dependencies_.pods, dependencies_.events, dependencies_.log);
  ReportPause(report, now);
  dependencies_.pods.PassDone(report.conditions(), now, report.evaluation.overdue.any());
}

void NodePasses::AwaitCleanup(const CycleReport& report, Instant now) {
  if (report.evictions.empty()) return;
  for (const EvictionRecord& eviction : report.evictions) {
    if (HasAskedFor(eviction.order.pod_uid)) asked_.reset();
  }
  const Resource resource =
      report.ranked_for ? ResourceOf(*report.ranked_for) : Resource::kEphemeralStorage;
  const bool hard = std::ranges::any_of(report.evictions, [](const EvictionRecord& eviction) {
    return eviction.order.grace_period_seconds <= kHardEvictionGracePeriodSeconds;
  });
  // A dry run keeps the pace that real evictions would have had.
  if (HasOutcome(report, EvictOutcome::kDryRun)) {
    pacing_.Evicted(resource, hard, Duration{0}, now);
    pacing_.CleanedUp(true, now);
  }
  const std::vector<std::string> ending = EndingPodsOf(report);
  if (ending.empty()) return;
  for (const std::string& uid : ending) {
    dependencies_.disk_walks.Forget(uid);
    record_.pods.Forget(uid);
  }
  pacing_.Evicted(resource, hard, std::chrono::seconds(kHardEvictionGracePeriodSeconds), now);
  pacing_.PodsEnd(now);
  standing_.wait.Begin(ending, resource, hard, now);
  ++changes_;
}

// Takes the pause before the next eviction, and what holds the memory and a disk, from the pass.
void NodePasses::ReportPause(const CycleReport& report, Instant now) {
  if (!summary_.pods.empty() || dependencies_.pods.Active().empty()) TakeHolders(report);
  const bool is_new = pacing_.PassDone(report, standing_.wait.active(), now);
  if (is_new) {
    ++counters_.waits[static_cast<std::size_t>(report.pause->reason)];
    if (!IsSaidByWhoAsks(report.pause->reason))
      LogPause(*report.pause, dependencies_.pods, dependencies_.log);
  }
  LogHolders(report, record_.holders, is_new, dependencies_.log);
}

// A pass that has not measured the pods' files keeps what was known of a disk.
void NodePasses::TakeHolders(const CycleReport& report) {
  std::vector<Holders> known = std::exchange(record_.holders, {});
  for (const Signal signal : HeldSignals(policies_->thresholds, report.evaluation.met)) {
    auto holders =
        HoldersOf(signal, summary_.node, pods_.joined(), policies_->layout, pacing_.HeldByEnding());
    const auto before = std::ranges::find(known, signal, &Holders::signal);
    if (!holders && before != known.end()) holders = std::move(*before);
    if (holders) record_.holders.push_back(*std::move(holders));
  }
}

// Called for each pass after its eviction. A watch pass that found nothing is not kept, because
// near a threshold there are hundreds of them a second. A pass that evicts is kept even without
// onlookers.
void NodePasses::Record(RecordedPass pass, PassKind kind,
                        const std::vector<const PodFacts*>& pods) {
  if (!record_passes_ && record_.last->evictions.empty()) return;
  record_.signals.Add(record_.last->observations, record_.last->at);
  pass.report = *record_.last;
  if (kind == PassKind::kWatch && !DidSomething(pass)) return;
  pass.summary = summary_;
  pass.pods = Keep(pods);
  const auto kept = std::make_shared<const RecordedPass>(std::move(pass));
  recorded_ = kept;
  record_.passes.Add(kept);
  if (dependencies_.on_pass) dependencies_.on_pass(kept);
  if (dependencies_.on_eviction && !kept->report.evictions.empty()) dependencies_.on_eviction(kept);
}

// A recorded pass has the same figures.
void NodePasses::KeepMeasured(const DiskUse& disk, Instant now) {
  const auto recorded = recorded_.lock();
  record_.pods.Take(recorded != nullptr
                        ? MeasuredPods::Stats(recorded, &recorded->summary.pods)
                        : std::make_shared<const std::vector<PodStats>>(summary_.pods),
                    disk, now);
}

std::vector<std::shared_ptr<const PodFacts>> NodePasses::Keep(
    const std::vector<const PodFacts*>& pods) const {
  return spared_.AsSeen(dependencies_.pods.Keep(spared_.Themselves(pods)));
}

bool NodePasses::HasAskedFor(std::string_view uid) const {
  return asked_ && asked_->report.pause->pod_uid == uid;
}

// If the answer came late, or after the thresholds have changed, the pass is no longer kept.
RecordedPass NodePasses::TakeAsked(const EvictionOrder& order) {
  if (HasAskedFor(order.pod_uid)) return *std::exchange(asked_, std::nullopt);
  RecordedPass pass{.policy = PolicyOf(PassKind::kWatch), .before = standing_.state};
  if (record_.last) {
    pass.report.at = record_.last->at;
    pass.report.observations = record_.last->observations;
    pass.report.evaluation = record_.last->evaluation;
  }
  return pass;
}

const CycleReport* NodePasses::Granted(const EvictionOrder& order, Instant now) {
  if (!HasAskedFor(order.pod_uid) && !dependencies_.pods.IsOnNode(order.pod_uid)) return nullptr;
  RecordedPass pass = TakeAsked(order);
  const auto ending = order.left_to_agent
                          ? dependencies_.pods.Evict(order, now)
                          : Result<bool>(dependencies_.pods.NoteEvicted(order, now));
  if (!ending || !*ending) return nullptr;
  pass.number = ++record_.count;
  CycleReport& report = pass.report;
  report.pause.reset();
  report.evictions.push_back({.order = order,
                              .storage_limit = std::nullopt,
                              .kill_error = std::nullopt,
                              .outcome = EvictOutcome::kEnding});
  report.events = {EvictedEvent(order)};
  NotifyListeners(report);
  MarkEviction(report.observations, now, standing_.state);
  record_.last = std::make_shared<const CycleReport>(report);
  AwaitCleanup(report, now);
  LogGranted(report, dependencies_.pods, dependencies_.events, dependencies_.log);
  (void)pacing_.PassDone(report, standing_.wait.active(), now);
  CountPass(report, PassKind::kWatch,
            {.woken = report.at, .began = now, .decided = now, .ended = now}, counters_);
  const auto kept = std::make_shared<const RecordedPass>(std::move(pass));
  record_.passes.Add(kept);
  if (dependencies_.on_pass) dependencies_.on_pass(kept);
  if (dependencies_.on_eviction) dependencies_.on_eviction(kept);
  return record_.last.get();
}

bool NodePasses::CheckCleanup(Instant now) {
  const auto outcome = standing_.wait.Check(
      [this](std::string_view uid) { return !dependencies_.pods.IsCleanedUp(uid); }, now);
  if (!outcome) return false;
  ++changes_;
  const bool all_gone = *outcome == EvictionWait::Outcome::kCleanedUp;
  if (all_gone) {
    dependencies_.log.Info("eviction manager: pods were cleaned up");
  } else {
    dependencies_.log.Warn("eviction manager: timed out waiting for pods to be cleaned up");
  }
  pacing_.CleanedUp(all_gone, now);
  if (dependencies_.on_cleanup) dependencies_.on_cleanup(all_gone, now);
  return true;
}

void NodePasses::Hasten(const ReadingPlan& plan) {
  if (!standing_.wait.hard()) return;
  counters_.early_kills += pacing_.Hasten(plan.observations, policies_->layout, plan.now);
}

}  // namespace jettison
