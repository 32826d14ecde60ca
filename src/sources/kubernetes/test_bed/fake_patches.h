#pragma once

#include <nlohmann/json.hpp>

namespace jettison::kube {

using Json = nlohmann::json;

// Applies a strategic merge patch to the `status` of an object, as far as the tests need it:
// conditions are merged by their type, and `$patch: delete` takes one away.
void PatchStatus(Json& object, const Json& patch);

}  // namespace jettison::kube
