#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/summary.h"
#include "core/units/duration.h"
#include "sim/imported/import_notes.h"
#include "sim/imported/track.h"

namespace jettison {

// When the figure that is known at that moment was sampled. An interpolated figure counts as
// sampled at that moment.
[[nodiscard]] std::optional<Instant> SampledAt(const Track* track, Instant at);

// One way in which series tell an amount of memory.
struct MemorySource {
  std::string name;                      // for people
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

// In the order of preference.
using MemorySources = std::vector<MemorySource>;

// By the first source that tells it.
[[nodiscard]] std::optional<MemoryStats> MemoryAt(const MemorySources& sources, Instant at);

// The samples of the first source, and of each other one where those before it have none. Sources
// that have no such samples are removed. It notes which of the others count, and when.
[[nodiscard]] Track JoinClocks(MemorySources& sources, ImportNotes& notes);

}  // namespace jettison
