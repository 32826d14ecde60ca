#pragma once

#include <optional>

#include "codec/kubernetes/field.h"
#include "core/model/pod.h"

namespace jettison::kube_json {

// "Always", "OnFailure" or "Never"; anything else is a fault. Absent where the field is.
[[nodiscard]] std::optional<RestartPolicy> ReadRestartPolicy(const Field& field);

// One item of `spec.containers` or `spec.initContainers`. Variables whose value would have to be
// fetched (valueFrom, envFrom) are faults where faults are wanted: a program without them is
// another program. Fields that this agent does not act on are warnings.
[[nodiscard]] Container ReadContainer(const Field& field);

}  // namespace jettison::kube_json
