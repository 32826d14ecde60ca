#include "core/pass/pass_decision.h"

namespace jettison {

PassDecision DecidePass(const PassPolicy& policy, const ReadingPlan& plan,
                        std::span<const ActivePod> pods, const std::optional<PaceInput>& pace) {
  PassDecision pass{.decision = Decide(policy.thresholds, policy.local_storage_capacity_isolation,
                                       policy.layout, plan.evaluation, pods),
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
