#pragma once

#include <string>

#include "core/shadow/shadow_pairing.h"

namespace jettison {

// The comparison with the kubelet as JSON. Times are RFC 3339, durations seconds; what is not known
// is absent. The fields are those of shadow_fields.h.
[[nodiscard]] std::string ShadowJson(const ShadowView& view);

}  // namespace jettison
