#pragma once

#include <string>
#include <string_view>

#include "core/model/pod.h"

namespace jettison {

// What a pod on a node has beside its specification.
struct PodOnNode {
  std::string_view node_name = {};  // spec.nodeName; empty: left out
  std::string status = {};          // a v1.PodStatus, written; empty: the pod's own
};

// The pod as one line of JSON (core/v1 Pod), every field that the model holds. ReadPod with
// PodForm::kApiObject reads it to an equal pod; text that is not UTF-8 is replaced.
[[nodiscard]] std::string WritePod(const Pod& pod, const PodOnNode& on_node = {});

}  // namespace jettison
