#pragma once

#include <optional>
#include <string_view>

#include "core/model/pod.h"
#include "core/model/pod_resources.h"

namespace jettison {

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
