#pragma once

#include "codec/kubernetes/field.h"
#include "core/model/pod.h"

namespace jettison::kube_json {

// One item of `spec.volumes`. A volume that names no source is an OtherVolumeSource without kind;
// the API's default (an emptyDir) is applied elsewhere. More than one source is a fault.
[[nodiscard]] Volume ReadVolume(const Field& field);

}  // namespace jettison::kube_json
