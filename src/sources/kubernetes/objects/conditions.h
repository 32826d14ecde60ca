#pragma once

#include <optional>
#include <vector>

#include "codec/kubernetes/field.h"
#include "core/units/duration.h"
#include "sources/kubernetes/objects/api_pod.h"

namespace jettison::kube {

// `status.conditions` of a pod or a node.
[[nodiscard]] std::vector<Condition> ReadConditions(const kube_json::Field& list);

// A time in RFC 3339; one that is none is a fault and absent.
[[nodiscard]] std::optional<Instant> ReadTime(const kube_json::Field& field);

}  // namespace jettison::kube
