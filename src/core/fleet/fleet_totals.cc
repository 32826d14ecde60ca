#include "core/fleet/fleet_totals.h"

#include <algorithm>

namespace jettison {

void PolicyTotals::Add(const PolicySums& sums) {
  evictions += sums.evictions;
  oom_kills += sums.oom_kills;
  nodes_with_evictions += sums.evictions > 0 ? 1 : 0;
  for (std::size_t i = 0; i < condition_nanoseconds.size(); ++i) {
    condition_nanoseconds[i] += sums.condition_nanoseconds[i];
  }
  kept_free_byte_seconds += sums.kept_free_byte_seconds;
  pod_nanoseconds_lost += sums.pod_nanoseconds_lost;
}

void FleetTotals::Add(const FleetNode& node) {
  ++nodes;
  nodes_failed += node.failure.empty() ? 0 : 1;
  for (const FleetInput& input : node.inputs) {
    ++recordings;
    recordings_damaged += input.faults.empty() ? 0 : 1;
    bytes += static_cast<std::int64_t>(input.bytes);
  }
  passes += node.passes;
  pods += node.pods;
  flaws += node.flaws;
  unknown_nanoseconds += node.unknown_nanoseconds;
  recorded_evictions += node.recorded_evictions;
  recorded_oom_kills += node.recorded_oom_kills;
  calibration.Add(node.calibration);
  for (std::size_t i = 0; i < std::min(policies.size(), node.policies.size()); ++i) {
    policies[i].Add(node.policies[i]);
  }
}

Int128 ConditionNanoseconds(const PolicyTotals& totals) {
  Int128 all = 0;
  for (const Int128 each : totals.condition_nanoseconds) all += each;
  return all;
}

}  // namespace jettison
