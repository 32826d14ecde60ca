#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/memory_reclaim.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"

namespace jettison {

// How many bytes should be taken back so that no pod has to go for memory: 0, nothing is to be
// done. A soft threshold asks for what is missing to its value and minimum reclaim, since one that
// was met stays so until there, a hard one for what is missing to one and a half times its value.
// While a hard one is met nothing is: whoever
// grows past it is met at once, and nothing must compete with that.
[[nodiscard]] std::uint64_t LadderGoal(std::span<const Threshold> thresholds,
                                       const Observations& observations);

// Whether a pod may be made to give its memory back while it runs: not critical ones, and not
// guaranteed ones, who have paid for what they hold.
[[nodiscard]] bool MayBeSqueezed(const PodFacts& facts);

// CPU time of a group at one moment.
struct CpuSample {
  std::uint64_t used_us = 0;
  Instant at;
};
// Samples are to lie so far apart to say anything, and no further.
inline constexpr Duration kCpuSampleLeast = std::chrono::seconds(5);
inline constexpr Duration kCpuSampleMost = std::chrono::minutes(1);
// Whether a group hardly ran between two samples: at most 1% of one CPU. False, too, where the
// samples say nothing: too close, too far apart, or of a group made anew in between.
[[nodiscard]] bool IsIdle(const std::optional<CpuSample>& before, const CpuSample& now);

// A group that memory may be taken from.
struct LadderGroup {
  MemoryReclaim step = MemoryReclaim::kDead;
  std::string group;
  std::int32_t priority = 0;  // of its pod; 0 without one
  std::uint64_t bytes = 0;    // what it holds
};
// Groups that hold less are not worth their while.
inline constexpr std::uint64_t kLeastReclaim = 1 << 20;

// In which order: the dead before the idle, then the lower priority, then who holds more, then by
// name. Those that hold too little are left out.
[[nodiscard]] std::vector<LadderGroup> LadderOrder(std::vector<LadderGroup> groups);

}  // namespace jettison
