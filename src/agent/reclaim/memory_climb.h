#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/decide/memory_ladder.h"
#include "core/model/memory_estimator.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/group_memory.h"

namespace jettison {

// A running pod from which memory may be reclaimed.
struct SqueezedPod {
  std::string group;
  std::int32_t priority = 0;
};

// The inputs of one climb, a reclaim of memory: how much, and from which groups.
struct MemoryClimb {
  std::uint64_t goal = 0;         // bytes that should become available
  std::string pods_group;         // groups without a process are searched for below it
  std::vector<SqueezedPod> pods;  // empty: memory is reclaimed only from dead groups
  MemoryEstimator estimator = MemoryEstimator::kWorkingSet;  // by which bytes become available
};

// What a climb works with; everything must outlive it.
struct MemoryClimbEdges {
  Cgroups& groups;
  GroupMemory& memory;
  const Clock& clock;
  // Called before each request to the kernel; true: stop.
  std::function<bool()> stop;
};

// How a climb ended.
struct ClimbOutcome {
  std::vector<ReclaimedMemory> reclaimed;  // in order; groups that gave nothing too
  std::vector<Error> errors;               // of groups that could not be asked
};

// CPU time of pods' groups when they were looked at last, by group.
using CpuSamples = std::map<std::string, CpuSample, std::less<>>;

// Reclaims memory from group after group in small amounts, and reads the group's usage after each,
// until the goal is reached, all groups have been tried, 5 s have passed, or `stop` is true. Blocks
// while the kernel works. `samples` are those of the last climb, and are updated.
[[nodiscard]] ClimbOutcome Climb(const MemoryClimb& climb, const MemoryClimbEdges& edges,
                                 CpuSamples& samples);

}  // namespace jettison
