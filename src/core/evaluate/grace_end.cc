#include "core/evaluate/grace_end.h"

#include <algorithm>
#include <cstddef>

namespace jettison {

std::optional<Instant> NextGraceEnd(std::span<const Threshold> thresholds,
                                    const Evaluation& evaluation) {
  std::optional<Instant> next;
  const auto wait_for = [&next](std::optional<Instant> since, Duration grace) {
    if (!since) return;
    const Instant end = Later(*since, grace);
    next = next ? std::min(*next, end) : end;
  };
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (!evaluation.met[i]) continue;
    if (!evaluation.overdue[i]) {
      wait_for(evaluation.next.first_observed_at[i], thresholds[i].grace_period);
    } else if (evaluation.in_margin[i]) {
      wait_for(evaluation.next.kubelet_line_crossed_at[i], thresholds[i].kubelet->grace_period);
    }
  }
  return next;
}

}  // namespace jettison
