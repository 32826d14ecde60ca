#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace jettison {

// Sizes of the demo's node. They are chosen together: the pods that behave leave 150 MiB of memory
// and 60 MiB of disk above the thresholds, and each that does not takes a few seconds for that.
inline constexpr std::int64_t kDemoMemoryMiB = 512;
inline constexpr std::int64_t kDemoMemoryThresholdMiB = 100;
inline constexpr std::int64_t kDemoDiskMiB = 96;
inline constexpr std::string_view kDemoDiskThreshold = "25%";
inline constexpr std::string_view kDemoEmptyDirLimit = "16Mi";
// Process ids are the machine's: the threshold lies so far below what is free at the start, which
// the forking pod can reach, and the two limits keep the machine out of its reach.
inline constexpr std::int64_t kDemoPidHeadroom = 500;
inline constexpr std::int64_t kDemoPodPidsLimit = 1000;
inline constexpr std::int64_t kDemoNodePidsLimit = 1500;

// One pod of the demo.
struct DemoPod {
  std::string_view name;
  std::string_view role;               // a phrase for people
  std::vector<std::string_view> work;  // arguments of `jettison workload`
  std::string_view resources = {};     // of its container, as YAML; empty: none
  std::string_view priority_class = {};
  std::string_view size_limit = {};  // of its emptyDir; empty: it has none
  bool culprit = false;              // it does harm once its gate is open, and is to be evicted
};

// Every pod, the innocent ones first. A culprit's work waits for the gate "$(GATE)"; an emptyDir
// lies at "$(SCRATCH)".
[[nodiscard]] std::span<const DemoPod> DemoPods();

}  // namespace jettison
