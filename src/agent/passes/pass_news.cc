#include "agent/passes/pass_news.h"

#include <cstddef>

#include "agent/looks/memory_looks.h"

namespace jettison {
namespace {

bool IsNewlyMet(std::size_t threshold, const Evaluation& evaluation, const EvictionState& before) {
  return evaluation.met[threshold] && !before.first_observed_at[threshold];
}

}  // namespace

bool HasNews(const Evaluation& evaluation, const EvictionState& before) {
  if (evaluation.acting.any() || !(evaluation.next.conditions == before.conditions)) return true;
  for (std::size_t i = 0; i < kMaxThresholds; ++i) {
    if (IsNewlyMet(i, evaluation, before)) return true;
  }
  return false;
}

bool HasNewsOfMemory(std::span<const Threshold> thresholds, const Evaluation& evaluation,
                     const EvictionState& before, ThresholdSet acted) {
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (!IsLookedAt(thresholds[i].signal)) continue;
    if (IsNewlyMet(i, evaluation, before) || (evaluation.acting[i] && !acted[i])) return true;
  }
  return false;
}

}  // namespace jettison
