#pragma once

#include <cstdint>
#include <string_view>

namespace jettison {

// Which page cache counts as available memory, although the node or its pods use it.
enum class MemoryEstimator : std::uint8_t {
  kWorkingSet,  // inactive file pages: Kubernetes' working set
  kAvailable,   // active ones as well, about as MemAvailable does
};
// "workingSet", "available".
[[nodiscard]] constexpr std::string_view NameOf(MemoryEstimator estimator) {
  return estimator == MemoryEstimator::kWorkingSet ? "workingSet" : "available";
}

}  // namespace jettison
