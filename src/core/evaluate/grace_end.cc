#include "core/evaluate/grace_end.h"

#include <algorithm>
#include <cstddef>

namespace jettison {

std::optional<Instant> NextGraceEnd(std::span<const Threshold> thresholds,
                                    const Evaluation& evaluation) {
  std::optional<Instant> next;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const auto& since = evaluation.next.first_observed_at[i];
    if (!evaluation.met[i] || evaluation.overdue[i] || !since) continue;
    const Instant end = Later(*since, thresholds[i].grace_period);
    next = next ? std::min(*next, end) : end;
  }
  return next;
}

}  // namespace jettison
