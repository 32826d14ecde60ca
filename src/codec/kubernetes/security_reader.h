#pragma once

#include "codec/kubernetes/field.h"
#include "core/model/pod.h"

namespace jettison::kube_json {

// `securityContext` of a container or of a pod. A setting that this agent does not enforce is a
// warning that names the field, since the owner of the pod may rely on it.
[[nodiscard]] SecurityContext ReadSecurityContext(const Field& field);
[[nodiscard]] PodSecurityContext ReadPodSecurityContext(const Field& field);

}  // namespace jettison::kube_json
