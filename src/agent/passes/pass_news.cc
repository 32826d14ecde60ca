#include "agent/passes/pass_news.h"

#include <cstddef>

#include "core/model/pressure.h"

namespace jettison {
namespace {

// Whether a look between passes reads this signal.
bool IsLookedAt(Signal signal) {
  const Resource resource = ResourceOf(signal);
  return resource == Resource::kMemory || resource == Resource::kSwap || resource == Resource::kIo;
}

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
    const Signal signal = thresholds[i].signal;
    if (!IsLookedAt(signal)) continue;
    if (IsNewlyMet(i, evaluation, before)) return true;
    if (evaluation.acting[i] && !(IsPressure(signal) && acted[i])) return true;
  }
  return false;
}

}  // namespace jettison
