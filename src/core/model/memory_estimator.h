#pragma once

#include <cstdint>
#include <string_view>

namespace jettison {

// What counts as available of the memory that a node or all its pods use.
enum class MemoryEstimator : std::uint8_t {
  kWorkingSet,  // inactive file pages: Kubernetes' working set
  kAvailable,   // active ones as well, about as MemAvailable does
};
// "workingSet", "available".
[[nodiscard]] constexpr std::string_view NameOf(MemoryEstimator estimator) {
  return estimator == MemoryEstimator::kWorkingSet ? "workingSet" : "available";
}

}  // namespace jettison
