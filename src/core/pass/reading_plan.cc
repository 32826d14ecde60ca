#include "core/pass/reading_plan.h"

#include "core/decide/decide.h"

namespace jettison {
namespace {

PodFigures FiguresFor(Signal signal) {
  const Resource resource = ResourceOf(signal);
  return resource == Resource::kMemory || resource == Resource::kSwap ? PodFigures::kMemory
                                                                      : PodFigures::kAll;
}

}  // namespace

Evaluation EvaluateBy(const PassPolicy& policy, const EvictionState& state,
                      const Observations& observations, Instant now) {
  Evaluation evaluation =
      Evaluate(policy.thresholds, policy.pressure_transition_period, state, observations, now);
  if (policy.hard_first) evaluation.acting = HardFirst(policy.thresholds, evaluation.acting);
  return evaluation;
}

ReadingPlan PlanReading(const PassPolicy& policy, const EvictionState& state, const NodeStats& node,
                        Instant now) {
  ReadingPlan plan{.now = now, .observations = ObservationsFrom(node)};
  plan.evaluation = EvaluateBy(policy, state, plan.observations, now);
  const ThresholdSet acting = plan.evaluation.acting;
  plan.threshold = MostUrgent(policy.thresholds, acting);
  plan.without_disks = MostUrgent(policy.thresholds, WithoutDisks(policy.thresholds, acting));
  if (policy.local_storage_capacity_isolation) {
    plan.pods = PodFigures::kAll;
  } else if (plan.threshold) {
    plan.pods = FiguresFor(policy.thresholds[*plan.threshold].signal);
  }
  return plan;
}

ReadingPlan PlanWithoutMargins(const PassPolicy& policy, const ReadingPlan& plan) {
  ReadingPlan other = plan;
  const Evaluation& found = plan.evaluation;
  ThresholdSet others = found.acting;
  for (std::size_t i = 0; i < policy.thresholds.size(); ++i) {
    if (found.in_margin[i] && !IsDisk(policy.thresholds[i])) others[i] = false;
  }
  other.threshold = MostUrgent(policy.thresholds, others);
  other.without_disks = MostUrgent(policy.thresholds, WithoutDisks(policy.thresholds, others));
  other.pods = PodFigures::kAll;
  return other;
}

ReadingPlan PlanFor(std::size_t threshold, const PassPolicy& policy, const ReadingPlan& plan) {
  ReadingPlan other = plan;
  other.threshold = threshold;
  if (!policy.local_storage_capacity_isolation) {
    other.pods = FiguresFor(policy.thresholds[threshold].signal);
  }
  return other;
}

}  // namespace jettison
