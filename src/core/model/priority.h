#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jettison {

// Pods of this priority and above are critical: never evicted, always admitted
// (scheduling.SystemCriticalPriority).
inline constexpr std::int32_t kSystemCriticalPriority = 2'000'000'000;

// The two priority classes that exist in every cluster.
inline constexpr std::string_view kSystemClusterCritical = "system-cluster-critical";
inline constexpr std::string_view kSystemNodeCritical = "system-node-critical";

// What the API server would write into `spec.priority` for a pod of that class: 2000000000 for
// system-cluster-critical, 2000001000 for system-node-critical. Absent for every other class, since
// those are objects of a cluster.
[[nodiscard]] constexpr std::optional<std::int32_t> PriorityOfClass(std::string_view name) {
  if (name == kSystemClusterCritical) return kSystemCriticalPriority;
  if (name == kSystemNodeCritical) return kSystemCriticalPriority + 1000;
  return std::nullopt;
}

}  // namespace jettison
