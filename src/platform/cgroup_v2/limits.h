#pragma once

#include <cstdint>

#include "ports/cgroups.h"
#include "units/result.h"

namespace jettison::cgroup_v2 {

// The cpu.weight, 1 to 10000, that belongs to CPU shares, 2 to 262144: 1024 shares, one CPU, are
// the default weight of 100, and the ends meet. Source: opencontainers/cgroups,
// ConvertCPUSharesToCgroupV2Value, as runc has it since 1.3.2, crun since 1.23 and the kubelet with
// them; before that, one CPU was a weight of 39.
[[nodiscard]] std::uint64_t CpuWeight(std::uint64_t shares);

// Writes the limits that are present. `group`: its directory. kUnavailable where the controller of
// a limit has not been given to the group, and where more memory is in use than the new limit
// allows and cannot be reclaimed.
[[nodiscard]] Result<void> SetLimits(int group, const CgroupLimits& limits);

}  // namespace jettison::cgroup_v2
