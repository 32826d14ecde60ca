#pragma once

#include <cstdint>
#include <string_view>

namespace jettison {

// Who created a pod. `own`: this agent, from a manifest; `runtime`: other software, on the
// container runtime that this agent uses; `kubernetes`: the kubelet of this node, for its cluster.
enum class PodOrigin : std::uint8_t { kOwn, kRuntime, kKubernetes };

// Why a pod is not evicted for node pressure. `critical`: it is critical by the profile;
// `observed`: it is foreign, and the policy is only to observe foreign pods; `spared`: it is not
// evicted for soft thresholds for now (core/model/spared_pod.h).
enum class Protection : std::uint8_t { kNone, kCritical, kObserved, kSpared };

[[nodiscard]] std::string_view NameOf(PodOrigin source);       // "own", "runtime", "kubernetes"
[[nodiscard]] std::string_view NameOf(Protection protection);  // "none", "critical", ...

}  // namespace jettison
