#pragma once

#include "core/model/pod.h"
#include "core/model/profile.h"

namespace jettison {

// The QoS class of a pod as its spec gives it. Only cpu and memory count, init containers too, and
// zero counts as absent: BestEffort when no container has any, Guaranteed when every container
// has equal requests and limits of both, Burstable otherwise. Pod-level resources decide alone
// where `spec.resources` is there, an empty one included.
// Source: pkg/apis/core/v1/helper/qos, ComputePodQOS (1.36).
[[nodiscard]] QosClass ComputeQosClass(const Pod& pod);

// The class in the pod's status, or the computed one where the status has none (GetPodQOS).
[[nodiscard]] QosClass QosClassOf(const Pod& pod);

// A pod whose manifest the node read by itself: the annotation kubernetes.io/config.source is there
// and is not "api".
[[nodiscard]] bool IsStatic(const Pod& pod);

// The API server's picture of a static pod: the annotation kubernetes.io/config.mirror is there.
[[nodiscard]] bool IsMirror(const Pod& pod);

// Priority 2000000000 or more; a pod without priority has none.
[[nodiscard]] bool IsCriticalByPriority(const Pod& pod);

// Whether the pod is never evicted for node pressure and always admitted. By the kubelet profile:
// static, mirror, or critical by priority (types.IsCriticalPod); standalone: by priority alone.
[[nodiscard]] bool IsCritical(const Pod& pod, Profile profile);

// Critical as the kubelet sees it, and of the class system-node-critical (types.IsNodeCriticalPod).
[[nodiscard]] bool IsNodeCritical(const Pod& pod);

}  // namespace jettison
