#pragma once

#include <cstdint>

#include "core/model/pod.h"

namespace jettison {

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
