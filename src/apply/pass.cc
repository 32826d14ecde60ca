#include "apply/pass.h"

#include <utility>

#include "core/decide/eviction_order.h"
#include "core/decide/ranking.h"

namespace jettison {
namespace {

Result<ReclaimProgress> Try(ReclaimStep step, NodeReclaimer& reclaimer) {
  switch (step) {
    case ReclaimStep::kDeadContainers: return reclaimer.DeleteDeadContainers();
    case ReclaimStep::kUnusedImages: return reclaimer.DeleteUnusedImages();
  }
  __builtin_unreachable();
}

// What became of an eviction, for the report.
void NoteEviction(const EvictionOrder& order, const Result<EvictOutcome>& killed,
                  std::optional<StorageLimitKind> limit, CycleReport& report) {
  if (killed && *killed == EvictOutcome::kAsked) {
    report.pause = EvictionPause{
        .reason = PaceReason::kAsked, .until = report.at + kAnswerWithin, .pod_uid = order.pod_uid};
    return;
  }
  report.events.push_back(EvictedEvent(order));
  EvictionRecord& record = report.evictions.emplace_back();
  record.order = order;
  record.storage_limit = limit;
  if (killed) {
    record.outcome = *killed;
  } else {
    record.kill_error = killed.error().message;
  }
}

void RankForReport(std::span<const ActivePod> pods, Signal signal, DiskLayout layout,
                   CycleReport& report) {
  for (std::size_t i : RankedPods(pods, signal, layout)) {
    report.ranking.push_back(pods[i].facts->pod.uid);
  }
}

void NoteStaleDisk(std::span<const ActivePod> pods, CycleReport& report) {
  for (const ActivePod& pod : pods) {
    if (pod.stats == nullptr || !pod.stats->stale_disk) continue;
    report.stale_disk.push_back(
        {.pod_uid = pod.facts->pod.uid, .measured_at = pod.stats->stale_disk->measured_at});
  }
}

// Runs each step of node-level reclaim, then reads the node again to see whether pressure is
// relieved. Without steps nothing is read and pressure is not relieved; nor while a step is still
// under way, because the figures do not show yet what it frees: a pass after its end goes on.
void Reclaim(const DecidedPass& pass, NodePorts& ports, CycleReport& report) {
  for (const ReclaimStep step : pass.decision.decision.reclaim) {
    report.reclaim_attempted.push_back(step);
    const auto progress = Try(step, ports.reclaimer);
    if (!progress) report.reclaim_errors.push_back(progress.error().message);
    if (progress == ReclaimProgress::kUnderWay) report.reclaim_under_way = true;
  }
  if (report.reclaim_attempted.empty() || report.reclaim_under_way) return;
  const auto summary = ports.summaries.ReadSummary();
  if (!summary) return report.reclaim_errors.push_back(summary.error().message);
  const Observations seen = ObservationsFrom(*summary);
  report.relieved_by_reclaim = PressureRelieved(pass.policy.thresholds, seen);
  report.after_reclaim = seen[report.acting_for->signal];
}

}  // namespace

CycleReport CarryOut(const DecidedPass& pass, NodePorts& ports, EvictionState& state) {
  const Decision& decision = pass.decision.decision;
  CycleReport report;
  report.at = pass.plan.now;
  report.observations = pass.plan.observations;
  report.evaluation = pass.plan.evaluation;
  for (const StorageViolation& violation : decision.violations) {
    const ActivePod& pod = pass.pods[violation.pod];
    const EvictionOrder order = OrderFor(pod, violation);
    NoteEviction(order, ports.killer.Evict(order, report.at),
                 pod.facts->storage_limits[violation.index].kind, report);
  }
  if (decision.threshold) {
    report.acting_for = pass.policy.thresholds[*decision.threshold];
    Reclaim(pass, ports, report);
    report.events.push_back(ReclaimEvent(ResourceOf(report.acting_for->signal)));
  }
  if (report.acting_for && !report.reclaim_under_way && !report.relieved_by_reclaim &&
      !pass.pods.empty()) {
    const Signal signal = report.acting_for->signal;
    report.ranked_for = signal;
    report.pause = pass.decision.pause;
    if (decision.victim && !report.pause) {
      const EvictionOrder order =
          OrderFor(pass.pods[*decision.victim], *report.acting_for, report.observations[signal],
                   pass.policy.max_pod_grace_period_seconds);
      NoteEviction(order, ports.killer.Evict(order, report.at), std::nullopt, report);
    }
    if (IsOfDisk(signal)) NoteStaleDisk(pass.pods, report);
    if (pass.full_ranking) RankForReport(pass.pods, signal, pass.policy.layout, report);
  }
  if (decision.victim && report.evaluation.in_margin[*decision.threshold]) {
    ObserveCondition(ConditionOf(report.acting_for->signal), pass.policy.pressure_transition_period,
                     report.at, report.evaluation.next);
  }
  state = report.evaluation.next;
  if (!report.evictions.empty()) MarkEviction(report.observations, pass.plan.now, state);
  return report;
}

CycleReport RunPass(const PassPolicy& policy, const PassInput& input, NodePorts& ports,
                    EvictionState& state) {
  const ReadingPlan plan = PlanReading(policy, state, input.summary.node, input.now);
  const std::vector<ActivePod> pods = JoinStats(input.pods, input.summary);
  const PassDecision decision = DecidePass(policy, plan, pods, input.pace);
  return CarryOut({.policy = policy,
                   .plan = plan,
                   .decision = decision,
                   .pods = pods,
                   .full_ranking = input.full_ranking},
                  ports, state);
}

}  // namespace jettison
