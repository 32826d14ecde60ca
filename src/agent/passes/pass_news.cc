#include "agent/passes/pass_news.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace jettison {
namespace {

// What moves by less is jitter.
constexpr std::int64_t kLeastGrowth = std::int64_t{1} << 20;

}  // namespace

bool HasNews(const Evaluation& evaluation, const EvictionState& before, ThresholdSet acted) {
  const bool acts = (evaluation.acting & ~acted).any();
  if (acts || !(evaluation.next.conditions == before.conditions)) return true;
  for (std::size_t i = 0; i < kMaxThresholds; ++i) {
    if (evaluation.met[i] && !before.first_observed_at[i]) return true;
  }
  return false;
}

ThresholdSet NewsOfMargins(std::span<const Threshold> thresholds, const CycleReport& last,
                           const Evaluation& evaluation, const Observations& seen) {
  ThresholdSet news = last.evaluation.in_margin & ~evaluation.in_margin;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const auto& before = last.observations[thresholds[i].signal];
    const auto& now = seen[thresholds[i].signal];
    if (!evaluation.in_margin[i] || !evaluation.met[i] || !before || !now) continue;
    const std::int64_t line = QuantityOf(thresholds[i].kubelet->value, now->capacity).Value();
    const std::int64_t quarter = (before->available - line) / 4;
    if (before->available - now->available >= std::max(quarter, kLeastGrowth)) news.set(i);
  }
  return news;
}

}  // namespace jettison
