#pragma once

#include <cstdint>

#include "core/text/enum_names.h"

namespace jettison {

// How the groups of pods are named: by plain paths, or as systemd names its slices and scopes.
enum class CgroupDriver : std::uint8_t { kCgroupfs, kSystemd };
// As KubeletConfiguration has it.
template <>
inline constexpr auto kNamesOf<CgroupDriver> = EnumNames("cgroupfs", "systemd");

// How much a line of the log matters, the least first.
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };
template <>
inline constexpr auto kNamesOf<LogLevel> = EnumNames("debug", "info", "warning", "error");

// Which page cache counts as available memory, although the node or its pods use it.
enum class MemoryEstimator : std::uint8_t {
  kWorkingSet,  // inactive file pages: Kubernetes' working set
  kAvailable,   // active ones as well, about as MemAvailable does
};
template <>
inline constexpr auto kNamesOf<MemoryEstimator> = EnumNames("workingSet", "available");

// Which pods are critical. `kubelet`: static pods are, as in a cluster, where they run the control
// plane; a replay uses this. `standalone`: only the priority of a pod makes it critical, because
// all pods come from the manifest directory.
enum class Profile : std::uint8_t { kKubelet, kStandalone };
template <>
inline constexpr auto kNamesOf<Profile> = EnumNames("kubelet", "standalone");

}  // namespace jettison
