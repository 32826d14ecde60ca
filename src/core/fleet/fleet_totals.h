#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/fleet/fleet_node.h"
#include "core/units/int128.h"

namespace jettison {

// What one policy does to all nodes.
struct PolicyTotals {
  std::int64_t evictions = 0;
  std::int64_t oom_kills = 0;
  std::int64_t nodes_with_evictions = 0;
  std::array<Int128, kNodeConditionCount> condition_nanoseconds{};
  Int128 kept_free_byte_seconds = 0;
  Int128 pod_nanoseconds_lost = 0;

  void Add(const PolicySums& sums);
};

// Sums over nodes.
struct FleetTotals {
  std::int64_t nodes = 0;
  std::int64_t nodes_failed = 0;  // of which nothing could be simulated
  std::int64_t recordings = 0;
  std::int64_t recordings_damaged = 0;
  std::int64_t bytes = 0;
  std::int64_t passes = 0;
  std::int64_t pods = 0;
  std::int64_t flaws = 0;
  Int128 unknown_nanoseconds = 0;
  std::int64_t recorded_evictions = 0;
  std::int64_t recorded_oom_kills = 0;
  FleetCalibration calibration;
  std::vector<PolicyTotals> policies;

  // `policies`: as many as the manifest has.
  explicit FleetTotals(std::size_t policy_count) : policies(policy_count) {}
  void Add(const FleetNode& node);
};

// The sum of all conditions.
[[nodiscard]] Int128 ConditionNanoseconds(const PolicyTotals& totals);

}  // namespace jettison
