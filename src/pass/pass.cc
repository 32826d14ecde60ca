#include "pass/pass.h"

#include <optional>
#include <utility>

#include "decide/ranking.h"
#include "observe/observations.h"

namespace jettison {
namespace {

// Kills first and tells afterwards: the victim's memory is what the node is waiting for.
void Evict(EvictionOrder order, std::optional<StorageLimitKind> limit, PodKiller& killer,
           CycleReport& report) {
  const auto killed = killer.Evict(order);
  report.events.push_back(EvictedEvent(order));
  EvictionRecord& record = report.evictions.emplace_back();
  record.order = std::move(order);
  record.storage_limit = limit;
  if (killed) {
    record.outcome = *killed;
  } else {
    record.kill_error = killed.error().message;
  }
}

// Whether the victim of this pass waits, by what is known of earlier evictions.
std::optional<EvictionPause> PauseOf(const PassPolicy& policy, const PassInput& input,
                                     const Decision& decision, std::span<const ActivePod> pods,
                                     const Observations& observations) {
  if (!input.pace || !decision.victim) return std::nullopt;
  const Threshold& threshold = policy.thresholds[*decision.threshold];
  return PauseBefore({.threshold = threshold,
                      .seen = *observations[threshold.signal],
                      .pods = pods,
                      .victim = *decision.victim,
                      .layout = policy.layout,
                      .now = input.now},
                     *input.pace);
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

// Node-level reclaim, then at most one pod; none while the reclaim is under way.
void Relieve(const PassPolicy& policy, const PassInput& input, const Decision& decision,
             std::span<const ActivePod> pods, NodePorts& ports, CycleReport& report) {
  const Threshold& threshold = policy.thresholds[*decision.threshold];
  report.acting_for = threshold;
  report.events.push_back(ReclaimEvent(ResourceOf(threshold.signal)));
  ReclaimOutcome reclaim = Reclaim(decision.reclaim, policy.thresholds, ports);
  report.reclaim_attempted = std::move(reclaim.attempted);
  report.reclaim_errors = std::move(reclaim.errors);
  report.reclaim_under_way = reclaim.under_way;
  report.relieved_by_reclaim = reclaim.relieved;
  if (reclaim.seen) report.after_reclaim = (*reclaim.seen)[threshold.signal];
  if (reclaim.under_way || reclaim.relieved || pods.empty()) return;
  report.ranked_for = threshold.signal;
  report.pause = PauseOf(policy, input, decision, pods, report.observations);
  if (decision.victim && !report.pause) {
    Evict(OrderFor(pods[*decision.victim],
                   PressureOrderInputs{
                       .thresholds = policy.thresholds,
                       .threshold = *decision.threshold,
                       .observations = report.observations,
                       .max_pod_grace_period_seconds = policy.max_pod_grace_period_seconds}),
          std::nullopt, ports.killer, report);
  }
  if (ConditionOf(threshold.signal) == NodeConditionType::kDiskPressure) {
    NoteStaleDisk(pods, report);
  }
  if (input.full_ranking) RankForReport(pods, threshold.signal, policy.layout, report);
}

}  // namespace

CycleReport RunPass(const PassPolicy& policy, const PassInput& input, NodePorts& ports,
                    EvictionState& state, std::vector<ActivePod>& scratch) {
  CycleReport report;
  report.at = input.now;
  JoinStats(input.pods, input.summary, scratch);
  report.observations = ObservationsFrom(input.summary);
  report.evaluation = Evaluate(policy.thresholds, policy.pressure_transition_period, state,
                               report.observations, input.now);
  const Decision decision = Decide(policy.thresholds, policy.local_storage_capacity_isolation,
                                   policy.layout, report.evaluation, scratch);
  for (const StorageViolation& violation : decision.violations) {
    Evict(OrderFor(scratch[violation.pod], violation), violation.kind, ports.killer, report);
  }
  if (decision.threshold) Relieve(policy, input, decision, scratch, ports, report);
  state = report.evaluation.next;
  if (!report.evictions.empty()) MarkEviction(report.observations, input.now, state);
  return report;
}

}  // namespace jettison
