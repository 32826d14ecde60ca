#pragma once

#include "codec/kubernetes/field.h"
#include "core/model/pod.h"

namespace jettison::kube_json {

// `securityContext` of a container or of a pod. What this agent does not enforce is a warning that
// names the field: whoever relies on it must know.
[[nodiscard]] SecurityContext ReadSecurityContext(const Field& field);
[[nodiscard]] PodSecurityContext ReadPodSecurityContext(const Field& field);

}  // namespace jettison::kube_json
