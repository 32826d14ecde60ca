#pragma once

#include <cstdint>
#include <optional>

#include "core/decide/decide.h"
#include "core/model/eviction.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pods/pod_facts.h"

namespace jettison {

inline constexpr std::int64_t kHardEvictionGracePeriodSeconds = 1;

// The order for a pod over a local-storage limit: one second, no condition.
[[nodiscard]] EvictionOrder OrderFor(const ActivePod& pod, const StorageViolation& violation);

// The order for the victim of node pressure: one second for a hard threshold, else the smaller of
// the maximum and the pod's own grace period, and the kubelet's message with annotations.
// (kubelet: evictionMessage, 1.36; for pressure signals, which it has not got, in words of our own)
[[nodiscard]] EvictionOrder OrderFor(const ActivePod& pod, const Threshold& acting_for,
                                     const std::optional<Observation>& seen,
                                     std::int64_t max_pod_grace_period_seconds);

// The order for a pod that gives way to one of higher priority: reason Preempting, and its own time
// to end. (kubelet: CriticalPodAdmissionHandler)
[[nodiscard]] EvictionOrder PreemptionOrder(const Pod& pod, const Pod& in_favour_of);

}  // namespace jettison
