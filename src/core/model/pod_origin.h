#pragma once

#include <cstdint>
#include <string_view>

namespace jettison {

// Who made a pod. `own`: this agent, by a manifest; `runtime`: somebody else, on the container
// runtime that this agent uses; `kubernetes`: the kubelet of this node, for its cluster.
enum class PodOrigin : std::uint8_t { kOwn, kRuntime, kKubernetes };

// What keeps a pod from being evicted for the node's sake. `critical`: what it is, by the profile;
// `observed`: it is foreign, and the operator wants it to be looked at only. `spared`: no
// soft threshold may end it for now (core/model/spared_pod.h).
enum class Protection : std::uint8_t { kNone, kCritical, kObserved, kSpared };

[[nodiscard]] std::string_view NameOf(PodOrigin source);       // "own", "runtime", "kubernetes"
[[nodiscard]] std::string_view NameOf(Protection protection);  // "none", "critical", ...

}  // namespace jettison
