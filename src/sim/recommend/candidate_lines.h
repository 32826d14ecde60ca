#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/threshold.h"
#include "core/pass/pass.h"
#include "core/units/duration.h"

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

// A grid around what is in force, for a node of that many bytes: the hard line from a quarter to
// eight times as high, in steps of half an octave, each with the soft one in force, without one,
// with half of it as minimum reclaim, and with a soft one two and three times as high for 30 s and
// for 2 min.
// What is in force is not in it. No hard line lies below the kubelet's default of 100Mi, or 1/16 of
// a node where that is less, unless the one in force does; none is above a quarter of the node, and
// no soft one above half of it.
[[nodiscard]] std::vector<MemoryLines> GridAround(const MemoryLines& in_force,
                                                  std::int64_t capacity);

}  // namespace jettison
