#include "core/explain/threshold_facts.h"

namespace jettison {
namespace {

void AddLines(ThresholdFacts& facts) {
  const std::int64_t capacity = facts.seen->capacity;
  const Quantity line = QuantityOf(facts.threshold.value, capacity);
  facts.line = line.Value();
  if (!facts.threshold.min_reclaim) return;
  facts.end = (line + QuantityOf(*facts.threshold.min_reclaim, capacity)).Value();
}

void AddTimes(Instant now, ThresholdFacts& facts) {
  if (!facts.since) return;
  facts.met_for = Elapsed(*facts.since, now);
  if (!facts.overdue) facts.grace_left = facts.threshold.grace_period - *facts.met_for;
}

}  // namespace

std::vector<ThresholdFacts> FactsOf(std::span<const Threshold> thresholds,
                                    const Observations& observations, const Evaluation& evaluation,
                                    Instant now) {
  const ThresholdSet below = ThresholdsMet(thresholds, observations, /*enforce_min_reclaim=*/false);
  std::vector<ThresholdFacts> all;
  all.reserve(thresholds.size());
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    ThresholdFacts facts{.threshold = thresholds[i],
                         .seen = observations[thresholds[i].signal],
                         .met = evaluation.met[i],
                         .held = evaluation.met[i] && !below[i],
                         .overdue = evaluation.overdue[i],
                         .acting = evaluation.acting[i],
                         .in_margin = evaluation.in_margin[i],
                         .since = evaluation.next.first_observed_at[i]};
    if (facts.seen) AddLines(facts);
    AddTimes(now, facts);
    all.push_back(std::move(facts));
  }
  return all;
}

}  // namespace jettison
