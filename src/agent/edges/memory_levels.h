#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"

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

// The levels of every threshold on memory, soft and hard, from figures of one pass: capacity -
// threshold + inactive file. A signal that was not measured has none. A level is one of usage, so
// it says nothing of page cache that shrinks or becomes active: the kernel only makes a look come
// sooner.
[[nodiscard]] std::vector<MemoryLevel> MemoryLevels(std::span<const Threshold> thresholds,
                                                    const NodeStats& node);

// Whether `wanted` differs from what is registered by more than the slack.
[[nodiscard]] bool LevelsMoved(std::span<const MemoryLevel> registered,
                               std::span<const MemoryLevel> wanted);

}  // namespace jettison
