#pragma once

#include <cstdint>
#include <optional>

#include "core/explanation/explanation.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// What was measured of a pod, as if it used `delta` more of what the ranking for `signal` counts;
// less where it is negative, down to none. Absent where nothing that was measured counts.
[[nodiscard]] std::optional<PodStats> WithUsage(const ActivePod& pod, Signal signal,
                                                DiskLayout layout, std::int64_t delta);

// What was measured of a pod, as if it used `less` bytes less of what a storage limit is about.
[[nodiscard]] PodStats WithLessStorage(const PodStats& stats, const StorageLimitFacts& limit,
                                       std::int64_t less);

// The least multiple of `step`, from one step to the first that is `max` or more, for which `holds`
// answers true; it must not turn false again further on. Absent: it never does.
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
