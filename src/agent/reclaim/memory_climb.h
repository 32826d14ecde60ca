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

// A running pod that may be squeezed.
struct SqueezedPod {
  std::string group;
  std::int32_t priority = 0;
};

// One way up the ladder: what is to be had, and of whom.
struct MemoryClimb {
  std::uint64_t goal = 0;         // bytes that should become available
  std::string pods_group;         // below which groups without a process are looked for
  std::vector<SqueezedPod> pods;  // empty: only the dead are asked
  MemoryEstimator estimator = MemoryEstimator::kWorkingSet;  // by which bytes become available
};

// What a climb works with; everything must outlive it.
struct MemoryClimbEdges {
  Cgroups& groups;
  GroupMemory& memory;
  const Clock& clock;
  // Asked before each thing that the kernel is asked for.
  std::function<bool()> stop;
};

// How a climb ended.
struct ClimbOutcome {
  std::vector<ReclaimedMemory> reclaimed;  // in order; groups that gave nothing too
  std::vector<Error> errors;               // of groups that could not be asked
};

// CPU time of pods' groups when they were looked at last, by group.
using CpuSamples = std::map<std::string, CpuSample, std::less<>>;

// Asks group after group for memory, small amounts at a time, and reads what it holds after each,
// until the goal is reached, all have been asked, it has taken 5 s, or it is to stop. Waits for the
// kernel meanwhile. `samples` are those of the last climb, and are brought up to date.
[[nodiscard]] ClimbOutcome Climb(const MemoryClimb& climb, const MemoryClimbEdges& edges,
                                 CpuSamples& samples);

}  // namespace jettison
