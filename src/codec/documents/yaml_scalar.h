#pragma once

#include <string_view>

#include "core/model/value.h"
#include "core/units/result.h"

namespace jettison::documents {

// What a plain (unquoted, untagged) YAML scalar means to Kubernetes, as sigs.k8s.io/yaml resolves
// it: null, a boolean, a number or a string. A number is given in JSON's syntax; digits beyond 64
// bits are kept. Fails for .inf and .nan, which JSON cannot hold.
[[nodiscard]] Result<Value> ResolvePlainScalar(std::string_view text, int line);

}  // namespace jettison::documents
