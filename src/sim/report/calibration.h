#pragma once

#include <chrono>
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
  Duration every{0};  // so far apart the samples were for that; zero: as recorded
  std::size_t truths = 0;
  std::size_t said = 0;
  // Predictions whose bounds are wider than kWidestBounds: they are neither found nor false.
  std::size_t unknown = 0;
  std::size_t found = 0;         // truths with a prediction of the same pod at about that time
  std::size_t inside = 0;        // ... whose time lies within the bounds that were stated
  std::vector<Duration> errors;  // of the times of those that were found, none of them negative
  std::vector<Pairing> pairs;    // every truth, then what is false or not known

  // Adds what was found on another node, without its pairs.
  void Add(const Calibration& other);
  // Half of the errors are not larger; absent: nothing was found.
  [[nodiscard]] std::optional<Duration> MedianError() const;
  [[nodiscard]] std::optional<Duration> WorstError() const;
  // Shares from 0 to 1; absent where there is nothing to divide by. Precision is that of those that
  // are known.
  [[nodiscard]] std::optional<double> Recall() const;
  [[nodiscard]] std::optional<double> Precision() const;
  [[nodiscard]] std::optional<double> Coverage() const;
};

// An eviction that is foretold for a time within these bounds is known; with wider ones it says too
// little to be right.
inline constexpr Duration kWidestBounds = std::chrono::minutes(1);
[[nodiscard]] bool IsKnown(const TimeBounds& when);

// Pairs each true eviction with the nearest one of the same pod that was foretold: within its
// bounds, or no further off than `reach`.
[[nodiscard]] Calibration Compare(const std::vector<RecordedFact>& truths,
                                  const std::vector<SimulatedEviction>& said, Duration reach);

// The evictions of an outcome as if they had been.
[[nodiscard]] std::vector<RecordedFact> AsFacts(const std::vector<SimulatedEviction>& evictions);

}  // namespace jettison
