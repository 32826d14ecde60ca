#pragma once

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

}  // namespace jettison::kube_json
