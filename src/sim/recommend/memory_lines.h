#pragma once

#include <optional>
#include <string>

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

}  // namespace jettison
