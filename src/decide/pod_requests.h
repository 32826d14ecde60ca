#pragma once

#include <optional>
#include <string_view>

#include "model/pod.h"

namespace jettison {

// Names of the resources that eviction weighs.
inline constexpr std::string_view kMemoryResource = "memory";
inline constexpr std::string_view kEphemeralStorageResource = "ephemeral-storage";

// What the pod asks for of one resource, as ranking weighs it: containers and side-cars together,
// or what an init container needs at its start where that is more; plus the overhead, unless the
// sum is zero. Where the pod has pod-level resources these alone count, so a resource that they do
// not name (and those they cannot name, like ephemeral-storage) is zero. Never absent.
// Source: pkg/api/v1/resource, GetResourceRequestQuantity (1.36).
[[nodiscard]] Quantity EffectiveRequest(const Pod& pod, std::string_view resource);

// The limit of the pod as a whole, summed like the requests; a pod-level limit replaces the
// containers', the overhead is added to a limit that is not zero. Absent when nothing limits the
// resource. Its text is the one that messages show.
// Source: component-helpers/resource, PodLimits (1.36).
[[nodiscard]] std::optional<Quantity> EffectiveLimit(const Pod& pod, std::string_view resource);

// The containers' own requests, pod-level ones and overhead left aside; absent when no container
// names the resource. Source: component-helpers/resource, AggregateContainerRequests (1.36).
[[nodiscard]] std::optional<Quantity> ContainersRequest(const Pod& pod, std::string_view resource);

// Whether `spec.resources` has a request that may stand at pod level: cpu, memory or huge pages.
[[nodiscard]] bool HasPodLevelRequests(const Pod& pod);

}  // namespace jettison
