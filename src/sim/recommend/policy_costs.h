#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/units/duration.h"
#include "sim/whatif/whatif_result.h"

namespace jettison {

// What a policy costs, added up over nodes.
struct PolicyCosts {
  std::uint64_t evictions = 0;         // for thresholds and limits of local storage
  std::uint64_t memory_evictions = 0;  // of these: because memory was short
  std::uint64_t oom_kills = 0;
  // Memory below the highest hard threshold that was free, in thousandths of a GiB hour, as it is
  // printed: what differs by less is the same.
  std::int64_t idle_milli_gib_hours = 0;
  Duration pod_time_lost{0};
  Duration condition_time{0};

  PolicyCosts& operator+=(const PolicyCosts& other);
  [[nodiscard]] double IdleGibHours() const {
    return static_cast<double>(idle_milli_gib_hours) / 1000;
  }
};
[[nodiscard]] PolicyCosts CostsOf(const PolicyOutcome& outcome);

// Whether `a` is nowhere worse than `b` and somewhere better: in evictions, OOM kills and memory
// that was kept free.
[[nodiscard]] bool Dominates(const PolicyCosts& a, const PolicyCosts& b);

// The places of those that no other one dominates. Of those that cost the same the first counts
// alone. By memory kept free, then by evictions, then by OOM kills, the least first.
[[nodiscard]] std::vector<std::size_t> ParetoFront(std::span<const PolicyCosts> costs);

}  // namespace jettison
