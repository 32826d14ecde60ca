#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/threshold.h"
#include "core/pass/pass.h"
#include "core/units/duration.h"
#include "sim/recommend/choice.h"

namespace jettison {

// What a recommendation varies of a policy: its thresholds on memory.available.
struct MemoryLines {
  struct Soft {
    ThresholdValue value;
    Duration grace{0};
    friend bool operator==(const Soft&, const Soft&) = default;
  };
  ThresholdValue hard;
  std::optional<Soft> soft;
  std::optional<ThresholdValue> min_reclaim;

  friend bool operator==(const MemoryLines&, const MemoryLines&) = default;
};

// Those of a policy; a policy without a hard one is taken to have the kubelet's default of 100Mi.
[[nodiscard]] MemoryLines LinesOf(const PassPolicy& policy);

// The policy with these instead of its own, the copy for allocatable memory included where it has
// one. Thresholds on other signals stay.
[[nodiscard]] PassPolicy WithLines(PassPolicy policy, const MemoryLines& lines);

// "hard 200Mi, soft 400Mi for 1m30s, reclaim 100Mi".
[[nodiscard]] std::string LinesText(const MemoryLines& lines);

// The value times the factor, rounded to what a person would write: two digits of a percentage, of
// MiB, or of KiB below 10Mi.
[[nodiscard]] ThresholdValue Scaled(const ThresholdValue& value, double factor);

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

// At most `most` that were not tried yet, around those of the front, higher and lower by the
// factor: all around the chosen one, then hard and soft lines around the others. `tried` has the
// lines in the order of the choice.
[[nodiscard]] std::vector<MemoryLines> FinerLines(std::span<const MemoryLines> tried,
                                                  const Choice& choice, const LineBounds& bounds,
                                                  double factor, std::size_t most);

}  // namespace jettison
