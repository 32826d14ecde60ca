#include "core/pass/pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/pod.h"

namespace jettison {
namespace {

PodFigures FiguresFor(const PassPolicy& policy, ThresholdSet may_act) {
  if (policy.local_storage_capacity_isolation) return PodFigures::kAll;
  const ThresholdSet of_memory =
      ThoseOf(may_act, policy.thresholds, [](const Threshold& threshold, std::size_t) {
        const Resource resource = ResourceOf(threshold.signal);
        return resource == Resource::kMemory || resource == Resource::kSwap;
      });
  if (of_memory != may_act) return PodFigures::kAll;
  return may_act.any() ? PodFigures::kMemory : PodFigures::kNone;
}

PassDecision DecideAmong(ThresholdSet among, const PassPolicy& policy, const ReadingPlan& plan,
                         std::span<const ActivePod> pods, const PaceOf& pace_of) {
  PassDecision pass{.decision = Decide(policy, plan.evaluation, among, pods)};
  const Decision& decision = pass.decision;
  if (!decision.threshold) return pass;
  pass.pace = pace_of(*decision.threshold);
  if (!pass.pace || !decision.victim) return pass;
  const Threshold& threshold = policy.thresholds[*decision.threshold];
  pass.pause = PauseBefore({.threshold = threshold,
                            .seen = *plan.observations[threshold.signal],
                            .pods = pods,
                            .victim = *decision.victim,
                            .layout = policy.layout,
                            .now = plan.now},
                           *pass.pace);
  return pass;
}

// Those for which a pod may be evicted while the eviction for the threshold `waits` has to wait.
ThresholdSet InsteadOf(std::size_t waits, std::span<const Threshold> thresholds,
                       ThresholdSet may_act) {
  const Threshold& waiting = thresholds[waits];
  return ThoseOf(may_act, thresholds, [&](const Threshold& threshold, std::size_t) {
    if (!threshold.IsHard() || IsOfDisk(threshold.signal) || IsOfDisk(waiting.signal)) return false;
    return waiting.IsHard() ? ResourceOf(threshold.signal) != ResourceOf(waiting.signal)
                            : threshold.signal != waiting.signal;
  });
}

}  // namespace

ReadingPlan PlanReading(const PassPolicy& policy, const EvictionState& state, const NodeStats& node,
                        Instant now, ThresholdSet allowed) {
  ReadingPlan plan{.now = now, .observations = ObservationsFrom(node)};
  plan.evaluation = Evaluate(policy, state, plan.observations, now);
  plan.may_act = plan.evaluation.acting & allowed;
  plan.threshold = MostUrgent(policy.thresholds, plan.may_act);
  const ThresholdSet margins = WithoutDisks(policy.thresholds, plan.evaluation.in_margin);
  const auto first = MostUrgent(policy.thresholds, plan.may_act & ~margins);
  if (first && IsOfDisk(policy.thresholds[*first].signal)) plan.disk = first;
  plan.pods = FiguresFor(policy, plan.may_act);
  return plan;
}

PassDecision DecidePass(const PassPolicy& policy, const ReadingPlan& plan,
                        std::span<const ActivePod> pods, const PaceOf& pace_of) {
  PassDecision first = DecideAmong(plan.may_act, policy, plan, pods, pace_of);
  if (!first.pause) return first;
  ThresholdSet others = InsteadOf(*first.decision.threshold, policy.thresholds, plan.may_act);
  while (others.any()) {
    PassDecision other = DecideAmong(others, policy, plan, pods, pace_of);
    if (!other.decision.threshold) break;
    if (other.decision.victim && !other.pause) return other;
    others.reset(*other.decision.threshold);
  }
  return first;
}

ThresholdSet ToActOn(const PassPolicy& policy, const Evaluation& evaluation,
                     const std::optional<PaceInput>& pace) {
  bool any_hard = false;
  const ThresholdSet rest =
      ThoseOf(evaluation.acting, policy.thresholds, [&](const Threshold& threshold, std::size_t) {
        any_hard = any_hard || (pace && threshold.signal == pace->signal && threshold.IsHard());
        return pace && threshold.signal >= pace->signal;
      });
  return any_hard ? rest : evaluation.acting;
}

PassDecision DecidePass(const PassPolicy& policy, const ReadingPlan& plan,
                        std::span<const ActivePod> pods, const std::optional<PaceInput>& pace) {
  return DecideAmong(ToActOn(policy, plan.evaluation, pace), policy, plan, pods,
                     [&](std::size_t) { return pace; });
}

std::string NameOfPod(const RecordedPass& pass, std::string_view uid) {
  for (const auto& facts : pass.pods) {
    if (facts->pod.uid == uid) return FullName(facts->pod);
  }
  return std::string(uid);
}

bool HasOutcome(const CycleReport& report, EvictOutcome outcome) {
  return std::ranges::any_of(report.evictions, [outcome](const EvictionRecord& eviction) {
    return eviction.outcome == outcome;
  });
}

std::vector<std::string> EndingPodsOf(const CycleReport& report) {
  std::vector<std::string> uids;
  for (const EvictionRecord& eviction : report.evictions) {
    if (eviction.outcome == EvictOutcome::kEnding) uids.push_back(eviction.order.pod_uid);
  }
  return uids;
}

Event ReclaimEvent(Resource resource) {
  return {.object = "node",
          .type = EventType::kWarning,
          .reason = "EvictionThresholdMet",
          .message = fmt::format("Attempting to reclaim {}", NameOf(resource)),
          .annotations = {}};
}

Event EvictedEvent(const EvictionOrder& order) {
  return {.object = order.pod_uid,
          .type = EventType::kWarning,
          .reason = kReasonEvicted,
          .message = order.message,
          .annotations = order.annotations};
}

std::vector<Event> ConditionEvents(NodeConditions before, NodeConditions after) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < kNodeConditionCount; ++i) {
    const auto type = static_cast<NodeConditionType>(i);
    if (before.Has(type) == after.Has(type)) continue;
    const std::string_view reason =
        (after.Has(type) ? RowOf(type).holds : RowOf(type).is_over).event;
    events.push_back({.object = "node",
                      .type = EventType::kNormal,
                      .reason = std::string(reason),
                      .message = fmt::format("Node status is now: {}", reason),
                      .annotations = {}});
  }
  return events;
}

NodeConditionText TextOf(NodeConditionType type, bool pressure) {
  const ConditionWords& words = pressure ? RowOf(type).holds : RowOf(type).is_over;
  return {.type = NameOf(type),
          .status = pressure ? "True" : "False",
          .reason = words.reason,
          .message = words.message};
}

}  // namespace jettison
