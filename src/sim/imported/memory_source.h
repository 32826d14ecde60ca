#pragma once

#include <optional>
#include <vector>

#include "core/model/summary.h"
#include "core/units/duration.h"
#include "sim/imported/track.h"

namespace jettison {

// When the figure that is known at that moment was sampled. An interpolated figure counts as
// sampled at that moment.
[[nodiscard]] std::optional<Instant> SampledAt(const Track* track, Instant at);

// One way in which series tell an amount of memory.
struct MemorySource {
  std::vector<const Track*> capacities;  // in the order of preference
  const Track* available = nullptr;
  const Track* working_set = nullptr;  // in place of what is available
  const Track* anonymous = nullptr;    // these four in place of the working set
  const Track* cached = nullptr;
  const Track* buffers = nullptr;
  const Track* inactive_file = nullptr;

  // The series at whose samples the amount is known; null: this source has none.
  [[nodiscard]] const Track* clock() const;
  // Absent: it does not tell the amount at that moment.
  [[nodiscard]] std::optional<MemoryStats> At(Instant at) const;
};

}  // namespace jettison
