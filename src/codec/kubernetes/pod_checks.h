#pragma once

#include "codec/kubernetes/field.h"
#include "core/model/pod.h"

namespace jettison::kube_json {

// Everything that a manifest must satisfy beyond types, complained about at its field: kind and
// version, names (they become paths), references between fields, amounts. `pod` is what was read
// from `root`, with defaults.
void CheckManifest(const Field& root, const Pod& pod);

}  // namespace jettison::kube_json
