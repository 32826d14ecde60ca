#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/edges/edges.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// The local-storage limits of a pod, in bytes.
struct DiskLimits {
  std::optional<double> pod;
  std::vector<std::pair<std::string, double>> volumes;     // emptyDirs, by name
  std::vector<std::pair<std::string, double>> containers;  // by name
};
[[nodiscard]] DiskLimits DiskLimitsOf(const PodFacts& facts);

// The largest part of any of its limits that a pod uses; 0 without limits.
[[nodiscard]] double FullnessOf(const PodDiskUse& use, const DiskLimits& limits);

// What the last walk found of a pod.
struct DiskHistory {
  double fullness = 0;            // as FullnessOf
  std::uint64_t used_bytes = 0;   // in total
  std::uint64_t grown_bytes = 0;  // by how much that was more than the time before
};

// The order in which pods are walked: first pods that were never walked; then pods that use at
// least nine tenths of a limit, the fullest first; then by growth, the largest first; then by UID.
// `pods` are UIDs with their history. Returns indices of `pods`.
[[nodiscard]] std::vector<std::size_t> DiskWalkOrder(
    std::span<const std::pair<std::string, const DiskHistory*>> pods);

}  // namespace jettison
