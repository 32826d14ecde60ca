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

}  // namespace jettison
