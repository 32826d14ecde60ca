#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"

namespace jettison {

// Who created a pod. `own`: this agent, from a manifest; `runtime`: other software, on the
// container runtime that this agent uses; `kubernetes`: the kubelet of this node, for its cluster.
enum class PodOrigin : std::uint8_t { kOwn, kRuntime, kKubernetes };

// Why a pod is not evicted for node pressure. `critical`: it is critical by the profile;
// `observed`: it is foreign, and the policy is only to observe foreign pods; `spared`: it is not
// evicted for soft thresholds for now (SparedPod).
enum class Protection : std::uint8_t { kNone, kCritical, kObserved, kSpared };

[[nodiscard]] constexpr std::string_view NameOf(PodOrigin source) {
  constexpr auto kNames = std::to_array<std::string_view>({"own", "runtime", "kubernetes"});
  return kNames[static_cast<std::size_t>(source)];
}
[[nodiscard]] constexpr std::string_view NameOf(Protection protection) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"none", "critical", "observed", "spared"});
  return kNames[static_cast<std::size_t>(protection)];
}

// A pod that is not evicted for a soft threshold until `until`. Hard thresholds ignore this.
struct SparedPod {
  std::string uid;
  std::string why;  // in the words of who spares it
  Instant until;
  friend bool operator==(const SparedPod&, const SparedPod&) = default;
};

// The soft evictions so far, as far as they delay or prevent the next ones.
struct SoftEvictionsSoFar {
  std::vector<Instant> granted;  // within the last hour, oldest first
  std::vector<SparedPod> spared;
  friend bool operator==(const SoftEvictionsSoFar&, const SoftEvictionsSoFar&) = default;
};

}  // namespace jettison
