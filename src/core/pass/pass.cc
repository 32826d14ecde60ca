#include "core/pass/pass.h"

#include "core/model/pod.h"

namespace jettison {
namespace {

PodFigures FiguresFor(const PassPolicy& policy, ThresholdSet may_act) {
  if (policy.local_storage_capacity_isolation) return PodFigures::kAll;
  for (std::size_t i = 0; i < policy.thresholds.size(); ++i) {
    const Resource resource = ResourceOf(policy.thresholds[i].signal);
    const bool of_memory = resource == Resource::kMemory || resource == Resource::kSwap;
    if (may_act[i] && !of_memory) return PodFigures::kAll;
  }
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
  ThresholdSet instead;
  if (IsOfDisk(waiting.signal)) return instead;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const Threshold& threshold = thresholds[i];
    if (!may_act[i] || !threshold.IsHard() || IsOfDisk(threshold.signal)) continue;
    instead[i] = waiting.IsHard() ? ResourceOf(threshold.signal) != ResourceOf(waiting.signal)
                                  : threshold.signal != waiting.signal;
  }
  return instead;
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
  if (!pace) return evaluation.acting;
  ThresholdSet rest = evaluation.acting;
  bool any_hard = false;
  for (std::size_t i = 0; i < policy.thresholds.size(); ++i) {
    const Threshold& threshold = policy.thresholds[i];
    any_hard |= rest[i] && threshold.signal == pace->signal && threshold.IsHard();
    if (threshold.signal < pace->signal) rest.reset(i);
  }
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

}  // namespace jettison
