#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/recommend/choice.h"
#include "sim/recommend/memory_lines.h"

namespace jettison {

// Which lines may be tried on a node of that many bytes. No hard one lies below the kubelet's
// default of 100Mi, or 1/16 of a node where that is less, unless the one in force does; none is
// above a quarter of the node, and no soft one above half of it.
struct LineBounds {
  std::int64_t capacity = 0;
  std::int64_t least_hard = 0;
  [[nodiscard]] bool Allow(const MemoryLines& lines) const;
};
[[nodiscard]] LineBounds BoundsFor(const MemoryLines& in_force, std::int64_t capacity);

// A grid around what is in force: the hard line from a quarter to eight times as high, each without
// a soft one, with that in force, and with one twice as high for 30 s and for 2 min. What is in
// force is not among them.
[[nodiscard]] std::vector<MemoryLines> CoarseLines(const MemoryLines& in_force,
                                                   const LineBounds& bounds);

// How near to the lines that were tried new ones are.
enum class Fineness : std::uint8_t { kHalf, kQuarter };  // factors of 2^(1/2) and 2^(1/4)

// At most `most` that were not tried yet, around those of the front: all around the chosen one,
// then hard and soft lines around the others. `tried` has the lines in the order of the choice.
[[nodiscard]] std::vector<MemoryLines> FinerLines(std::span<const MemoryLines> tried,
                                                  const Choice& choice, const LineBounds& bounds,
                                                  Fineness fineness, std::size_t most);

}  // namespace jettison
