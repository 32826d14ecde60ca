#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/evaluate/evaluate.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"

namespace jettison {

// A usage of one group at which the agent wants to be woken.
struct MemoryLevel {
  std::size_t threshold = 0;                 // index in the list of thresholds
  Signal signal = Signal::kMemoryAvailable;  // memory.available: the node's group, else the pods'
  std::uint64_t bytes = 0;                   // of usage
  friend bool operator==(const MemoryLevel&, const MemoryLevel&) = default;
};

// How far a level may move before it is registered anew: the kernel itself looks at a group's
// levels only every 128 page charges (THRESHOLDS_EVENTS_TARGET in mm/memcontrol-v1.c), so with
// pages of 4 KiB nothing below 512 KiB would change when the wake-up comes. Registering costs
// milliseconds.
inline constexpr std::uint64_t kLevelSlack = std::uint64_t{128} * 4096;

// How far before a threshold the agent is woken in addition. The kernel may report a crossing up to
// kLevelSlack late, which is 10 ms at 50 MiB/s; with this wake-up the agent looks in time. Another
// kLevelSlack is added because a level that has moved by less than that is not registered anew.
inline constexpr std::uint64_t kApproach = 2 * kLevelSlack;

// The levels of every threshold on memory, soft and hard, from figures of one pass: capacity -
// threshold + inactive file, and one kApproach before it. A signal that was not measured has none.
[[nodiscard]] std::vector<MemoryLevel> MemoryLevels(std::span<const Threshold> thresholds,
                                                    const NodeStats& node);

// The thresholds whose crossing the kernel can be relied upon to report. It reports usage, which
// includes the page cache: while that shrinks or becomes active, what is available shrinks and
// usage does not grow, and near a limit a level may be out of its reach. So only thresholds count
// beside which the inactive page cache is small.
[[nodiscard]] ThresholdSet TellableThresholds(std::span<const Threshold> thresholds,
                                              const NodeStats& node);

// Whether one of the thresholds on memory is not crossed, but may be at any moment: what is
// available is at most kApproach + kLevelSlack above it.
[[nodiscard]] bool NearThreshold(std::span<const Threshold> thresholds,
                                 const Observations& observations);

// Whether `wanted` differs from what is registered by more than the slack.
[[nodiscard]] bool LevelsMoved(std::span<const MemoryLevel> registered,
                               std::span<const MemoryLevel> wanted);

}  // namespace jettison
