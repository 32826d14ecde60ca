#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/flight/values/node_row.h"

namespace jettison {

// The columns of a chunk's passes: these, and then those of the node (node_row.h).
enum PassSlot : std::uint8_t {
  kItemsBefore,  // items that are no passes, since the pass before
  kNumber,       // more than that of the pass before
  kAt,           // later than the pass before, in nanoseconds
  kPolicy,       // its place in the chunk's policies
  kNodeName,     // ... node names
  kFiguresOf,    // ... lists of pods that there are figures of
  kActive,       // ... lists of active pods
  kParts,        // which PassParts there are
};
inline constexpr std::size_t kPassSlots = 8;
inline constexpr std::size_t kPassWidth = kPassSlots + kNodeRowWidth;

// What few passes have, as bits; told in the section kMore in this order.
enum PassPart : std::uint8_t {
  kState = 1,       // it does not follow from the pass before
  kEvaluation = 2,  // it does not follow from the figures
  kDeeds = 4,       // it did something
  kPace = 8,
  kAfterReclaim = 16,
  kFastestPod = 32,  // of kPace
  kCrossings = 64,   // KubeletCrossings, where thresholds have lines of the kubelet
};

enum class OtherItem : std::uint8_t { kOomKill, kGap, kNote };

}  // namespace jettison
