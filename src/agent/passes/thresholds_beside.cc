#include "agent/passes/thresholds_beside.h"

#include "core/decide/decide.h"
#include "core/pass/pass_decision.h"

namespace jettison {

ThresholdsBeside::ThresholdsBeside(std::span<const Threshold> thresholds, const EvictionWait& wait,
                                   const ReadingPlan& plan)
    : thresholds_(thresholds) {
  if (!plan.threshold) return;
  left_ = HardBeside(thresholds, plan.evaluation.acting, *plan.threshold);
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (!wait.Allows(thresholds[i])) left_[i] = false;
  }
}

std::optional<std::size_t> ThresholdsBeside::Next() {
  const auto next = MostUrgent(thresholds_, left_);
  if (next) left_[*next] = false;
  return next;
}

}  // namespace jettison
