#pragma once

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

}  // namespace jettison
