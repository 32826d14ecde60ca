#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/units/duration.h"
#include "sim/whatif/whatif_result.h"

namespace jettison {

// An eviction that is here and not there, or at two times.
struct Pairing {
  std::optional<std::size_t> truth;  // among the true ones; absent: it is false
  std::optional<std::size_t> said;   // among those that were foretold; absent: it was missed
};

// How well a simulation found the recorded evictions.
struct Calibration {
  std::size_t truths = 0;
  std::size_t said = 0;
  std::size_t found = 0;   // truths with a prediction of the same pod at about that time
  std::size_t inside = 0;  // ... whose time lies within the bounds that were stated
  std::optional<Duration> median_error;  // of the times of those that were found; never negative
  std::optional<Duration> worst_error;
  std::vector<Pairing> pairs;  // every truth, then what is false

  // Shares from 0 to 1; absent where there is nothing to divide by.
  [[nodiscard]] std::optional<double> Recall() const;
  [[nodiscard]] std::optional<double> Precision() const;
  [[nodiscard]] std::optional<double> Coverage() const;
};

// Pairs each true eviction with the nearest one of the same pod that was foretold: within its
// bounds, or no further off than `reach`.
[[nodiscard]] Calibration Compare(const std::vector<RecordedFact>& truths,
                                  const std::vector<SimulatedEviction>& said, Duration reach);

// The evictions of an outcome as if they had been.
[[nodiscard]] std::vector<RecordedFact> AsFacts(const std::vector<SimulatedEviction>& evictions);

}  // namespace jettison
