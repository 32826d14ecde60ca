#include "core/pass/pass_decision.h"

namespace jettison {
namespace {

// The acting thresholds without those that wait, as is told by the signal of the pace.
ThresholdSet WithoutWaiting(std::span<const Threshold> thresholds, ThresholdSet acting,
                            Signal of_pace) {
  ThresholdSet rest = acting;
  bool any_hard = false;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const Threshold& threshold = thresholds[i];
    any_hard = any_hard || (acting[i] && threshold.signal == of_pace && threshold.IsHard());
    if (threshold.signal < of_pace && !IsDisk(threshold)) rest[i] = false;
  }
  return any_hard ? rest : acting;
}

}  // namespace

Evaluation ToActOn(const PassPolicy& policy, const Evaluation& evaluation,
                   const std::optional<PaceInput>& pace) {
  Evaluation to_act_on = evaluation;
  if (!pace) return to_act_on;
  to_act_on.acting = WithoutWaiting(policy.thresholds, evaluation.acting, pace->signal);
  return to_act_on;
}

ThresholdSet OtherHardThresholds(std::span<const Threshold> thresholds, ThresholdSet acting,
                                 std::size_t waits) {
  const Threshold& waiting = thresholds[waits];
  ThresholdSet beside;
  if (IsDisk(waiting)) return beside;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const Threshold& threshold = thresholds[i];
    if (!acting[i] || !threshold.IsHard() || IsDisk(threshold)) continue;
    beside[i] = waiting.IsHard() ? ResourceOf(threshold.signal) != ResourceOf(waiting.signal)
                                 : threshold.signal != waiting.signal;
  }
  return beside;
}

PassDecision DecidePass(const PassPolicy& policy, const ReadingPlan& plan,
                        std::span<const ActivePod> pods, const std::optional<PaceInput>& pace) {
  PassDecision pass{.decision = Decide(policy.thresholds, policy.local_storage_capacity_isolation,
                                       policy.layout, ToActOn(policy, plan.evaluation, pace), pods),
                    .pause = std::nullopt};
  if (!pace || !pass.decision.victim) return pass;
  const Threshold& threshold = policy.thresholds[*pass.decision.threshold];
  pass.pause = PauseBefore({.threshold = threshold,
                            .seen = *plan.observations[threshold.signal],
                            .pods = pods,
                            .victim = *pass.decision.victim,
                            .layout = policy.layout,
                            .now = plan.now},
                           *pace);
  return pass;
}

}  // namespace jettison
