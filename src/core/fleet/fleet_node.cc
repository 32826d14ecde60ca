#include "core/fleet/fleet_node.h"

#include <algorithm>
#include <numeric>

namespace jettison {

void FleetCalibration::AddError(Duration error) {
  const auto bound = std::ranges::lower_bound(kErrorBounds, error);
  ++errors[static_cast<std::size_t>(bound - kErrorBounds.begin())];
}

void FleetCalibration::Add(const FleetCalibration& other) {
  evictions += other.evictions;
  foretold += other.foretold;
  found += other.found;
  inside += other.inside;
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] += other.errors[i];
}

std::optional<Duration> FleetCalibration::MedianAtMost() const {
  const std::int64_t all = std::accumulate(errors.begin(), errors.end(), std::int64_t{0});
  std::int64_t below = 0;
  for (std::size_t i = 0; i < kErrorBounds.size(); ++i) {
    below += errors[i];
    if (all > 0 && below * 2 >= all) return kErrorBounds[i];
  }
  return std::nullopt;
}

bool FleetNode::IsDamaged() const {
  return !failure.empty() ||
         std::ranges::any_of(inputs, [](const FleetInput& input) { return !input.faults.empty(); });
}

void FleetNode::Sort() {
  std::ranges::sort(evictions);
  std::ranges::sort(oom_kills);
}

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
