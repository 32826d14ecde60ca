#pragma once

#include <string>
#include <string_view>

#include "codec/kubernetes/field.h"
#include "core/model/pod.h"

namespace jettison::kube_json {

inline constexpr std::string_view kDnsLabelRule =
    "must consist of lower-case letters, digits and '-', and begin and end with a letter or digit "
    "(at most 63 characters)";

// A required name that is a DNS label; silent where the field's type was wrong.
void CheckLabel(const Field& field, const std::string& name);

// No amount below zero.
void CheckAmounts(const Field& field, const ResourceList& list);

// No amount below zero, no request above its limit.
void CheckResources(const Field& field, const ResourceRequirements& resources);

// The containers and init containers of `spec`: names, variables, mounts and resources.
void CheckContainers(const Field& spec, const Pod& pod);

// Everything a manifest must satisfy beyond types, complained about at its field: kind and version,
// names (they become paths), references between fields, amounts. `pod` is what was read from
// `root`, with defaults.
void CheckManifest(const Field& root, const Pod& pod);

}  // namespace jettison::kube_json
