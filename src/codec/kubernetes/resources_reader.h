#pragma once

#include "codec/kubernetes/field.h"
#include "core/model/pod.h"

namespace jettison::kube_json {

// A map of resource names to quantities; a bad quantity is a fault and left out.
[[nodiscard]] ResourceList ReadResourceList(const Field& field);

// `requests` and `limits` of a container or a pod.
[[nodiscard]] ResourceRequirements ReadResources(const Field& field);

}  // namespace jettison::kube_json
