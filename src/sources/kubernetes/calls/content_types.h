#pragma once

#include <chrono>
#include <string>

#include "core/units/duration.h"

namespace jettison::kube {

inline constexpr const char* kJsonType = "application/json";
// Members replace members, lists replace lists.
inline constexpr const char* kMergePatchType = "application/merge-patch+json";
// Lists that have a key (conditions: `type`) are merged by it.
inline constexpr const char* kStrategicMergePatchType = "application/strategic-merge-patch+json";

// A meta/v1 Time, which has no fraction.
[[nodiscard]] inline std::string WholeSeconds(WallTime time) {
  return FormatWallTime(std::chrono::floor<std::chrono::seconds>(time));
}

}  // namespace jettison::kube
