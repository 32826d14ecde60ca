#pragma once

#include <string_view>

#include "codec/kubernetes/field.h"
#include "core/model/pod.h"

// What a pod that people wrote needs beyond reading.
namespace jettison::kube_json {

// Fills in what the API server would (pkg/apis/core/v1/defaults.go, 1.36), for a pod that never
// went through one: grace period, pull policy of images, requests from limits, pod-level
// requests, sources of volumes, priority of the system priority classes. What is set stays.
void ApplyPodDefaults(Pod& pod);

// Everything that a manifest must satisfy beyond types, complained about at its field: kind and
// version, names (they become paths), references between fields, amounts. `pod` is what was read
// from `root`, with defaults.
void CheckManifest(const Field& root, const Pod& pod);

// RFC 1123 label: 1 to 63 lower-case letters, digits and '-', not at the ends.
[[nodiscard]] bool IsDnsLabel(std::string_view name);

// RFC 1123 subdomain: labels joined by '.', 253 characters at most.
[[nodiscard]] bool IsDnsSubdomain(std::string_view name);

// What may be a UID, which becomes a part of paths: letters, digits, '-', '_' and '.', no more than
// 128, the first one a letter or digit.
[[nodiscard]] bool IsUid(std::string_view uid);

}  // namespace jettison::kube_json
