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

// How many bytes should be reclaimed so that no pod has to be evicted for memory; 0: none. For a
// soft threshold it is what is missing to its value plus minimum reclaim, because a threshold that
// was met stays met until then. For a hard threshold it is what is missing to one and a half times
// its value. While a hard threshold is met it is 0, because a reclaim must not compete with the
// eviction.
[[nodiscard]] std::uint64_t LadderGoal(std::span<const Threshold> thresholds,
                                       const Observations& observations);

// Whether memory may be reclaimed from the pod while it runs: not from protected pods, and not from
// Guaranteed pods, which have requested what they hold.
[[nodiscard]] bool MayBeSqueezed(const PodFacts& facts);

// CPU time of a group at one moment.
struct CpuSample {
  std::uint64_t used_us = 0;
  Instant at;
};
// The least and the greatest time between two samples that can be compared.
inline constexpr Duration kCpuSampleLeast = std::chrono::seconds(5);
inline constexpr Duration kCpuSampleMost = std::chrono::minutes(1);
// Whether a group used at most 1% of one CPU between two samples. False also if the samples cannot
// be compared: they are too close, too far apart, or the group was recreated in between.
[[nodiscard]] bool IsIdle(const std::optional<CpuSample>& before, const CpuSample& now);

// A group that memory may be taken from.
struct LadderGroup {
  MemoryReclaim step = MemoryReclaim::kDead;
  std::string group;
  std::int32_t priority = 0;  // of its pod; 0 without one
  std::uint64_t bytes = 0;    // what it holds
};
// Groups that hold less than this are not reclaimed from.
inline constexpr std::uint64_t kLeastReclaim = 1 << 20;

// Sorts the groups for reclaim: dead groups before idle ones, then by priority, the lowest first,
// then by held memory, the most first, then by name. Groups below kLeastReclaim are left out.
[[nodiscard]] std::vector<LadderGroup> LadderOrder(std::vector<LadderGroup> groups);

}  // namespace jettison
