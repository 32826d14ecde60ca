#pragma once

#include <cstdint>
#include <optional>

#include "core/explanation/explanation.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// The stats of a pod if it used `delta` more (negative: less, but not below zero) of what the
// ranking for `signal` counts. Absent if nothing that counts was measured.
[[nodiscard]] std::optional<PodStats> WithUsage(const ActivePod& pod, Signal signal,
                                                DiskLayout layout, std::int64_t delta);

// The stats of a pod if it used `less` bytes less of what a storage limit counts.
[[nodiscard]] PodStats WithLessStorage(const PodStats& stats, const StorageLimitFacts& limit,
                                       std::int64_t less);

// The least multiple of `step`, from `step` to the first one at or above `max`, for which `holds`
// is true. `holds` must be monotonic. Absent: it is true for none.
template <typename Predicate>
[[nodiscard]] std::optional<std::int64_t> LeastThat(std::int64_t step, std::int64_t max,
                                                    Predicate holds) {
  std::int64_t low = 0;  // does not hold
  std::int64_t high = max / step + (max % step == 0 ? 0 : 1);
  if (high < 1 || !holds(high * step)) return std::nullopt;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle * step) ? high : low) = middle;
  }
  return high * step;
}

}  // namespace jettison
