#pragma once

#include <cstdint>

#include "core/model/choices.h"
#include "core/model/pod.h"

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

// The oom_score_adj of a container of the pod (`container` is one of its containers or init
// containers) on a node with that many bytes of memory: -997 for Guaranteed and
// system-node-critical pods, 1000 for BestEffort pods. For Burstable pods it lies in between, and
// is the lower the more memory the container requests. The part of a pod-level request that no
// container requests is shared equally among the containers. A sidecar's value is never above that
// of the smallest regular container.
//
// The kubelet does not cap the figure: containers that together ask for more than their pod make it
// exceed 1000, which the kernel refuses, so who writes it must cap it. On a node whose capacity is
// unknown (zero) a Burstable container gets 999.
// Source: pkg/kubelet/qos, GetContainerOOMScoreAdjust (1.36).
[[nodiscard]] int OomScoreAdj(const Pod& pod, const Container& container,
                              std::uint64_t memory_capacity_bytes);

}  // namespace jettison
