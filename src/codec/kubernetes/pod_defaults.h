#pragma once

#include "core/model/pod.h"

namespace jettison::kube_json {

// Fills in what the API server would (pkg/apis/core/v1/defaults.go, 1.36), for a pod that never
// went through one: grace period, pull policy of images, requests from limits, pod-level
// requests, sources of volumes, priority of the system priority classes. What is set stays.
void ApplyPodDefaults(Pod& pod);

}  // namespace jettison::kube_json
