#pragma once

#include <string>

#include "model/pod.h"

namespace jettison {

// The pod as one line of JSON (core/v1 Pod), every field that the model holds. ReadPod with
// PodForm::kApiObject reads it to an equal pod; text that is not UTF-8 is replaced.
[[nodiscard]] std::string WritePod(const Pod& pod);

}  // namespace jettison
