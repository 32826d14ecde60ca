#pragma once

#include <optional>
#include <string_view>

#include "core/model/pod.h"

namespace jettison {

// Names of the resources that eviction weighs.
inline constexpr std::string_view kMemoryResource = "memory";
inline constexpr std::string_view kEphemeralStorageResource = "ephemeral-storage";

// Requests or limits: &ResourceRequirements::requests, &ResourceRequirements::limits.
using ResourceSide = ResourceList ResourceRequirements::*;

// The entry of that resource, or null where the list has none.
[[nodiscard]] const Quantity* FindResource(const ResourceList& list, std::string_view resource);

// What the containers ask for (or may use) together of one resource: containers and sidecars
// added up, or what an init container needs beside the sidecars started before it, where that is
// more. Pod-level resources and overhead are left aside. Absent when no container names the
// resource. The first addend's form and text are kept.
// Source: KEP-753; component-helpers/resource, AggregateContainerRequests and -Limits (1.36).
[[nodiscard]] std::optional<Quantity> SumOfContainers(const Pod& pod, ResourceSide side,
                                                      std::string_view resource);

// Whether `spec.resources` may name the resource: cpu, memory and huge pages.
[[nodiscard]] bool MayStandAtPodLevel(std::string_view resource);

// Whether `spec.resources` has a request that may stand there.
[[nodiscard]] bool HasPodLevelRequests(const Pod& pod);

// Whether `spec.resources` has a request or a limit that may stand there.
[[nodiscard]] bool HasPodLevelResources(const Pod& pod);

// What the pod asks for of one resource, as ranking weighs it: the sum of its containers plus the
// overhead, unless the sum is zero. Where the pod has pod-level resources these alone count, so a
// resource that they do not name (and those they cannot name, like ephemeral-storage) is zero.
// Never absent. Source: pkg/api/v1/resource, GetResourceRequestQuantity (1.36).
[[nodiscard]] Quantity EffectiveRequest(const Pod& pod, std::string_view resource);

// The limit of the pod as a whole, summed like the requests; a pod-level limit replaces the
// containers', the overhead is added to a limit that is not zero. Absent when nothing limits the
// resource. Its text is the one that messages show.
// Source: component-helpers/resource, PodLimits (1.36).
[[nodiscard]] std::optional<Quantity> EffectiveLimit(const Pod& pod, std::string_view resource);

}  // namespace jettison
