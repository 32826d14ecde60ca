#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "sources/kubernetes/objects/api_object.h"

namespace jettison::kube {

// What keeps pods off a node (`spec.taints`).
struct Taint {
  std::string key;
  std::string effect;  // "NoSchedule", "PreferNoSchedule", "NoExecute"
  std::string json;  // all of it as JSON, with what is not known here: it is written back as it was
  friend bool operator==(const Taint&, const Taint&) = default;
};

// A node as the API server has it.
struct ApiNode {
  ObjectHead head;
  std::vector<Taint> taints;
  std::vector<Condition> conditions;
  std::string kubelet_version;    // "v1.36.2"
  std::string internal_ip;        // the first; empty: none is told
  std::int64_t kubelet_port = 0;  // where its kubelet answers; 0: not told
};

// "https://192.0.2.2:10250"; empty where the node does not tell where its kubelet answers.
[[nodiscard]] std::string KubeletUrlOf(const ApiNode& node);

// Reads the JSON text of a core/v1 Node; errors as of ReadApiPod.
[[nodiscard]] Result<ApiNode> ReadApiNode(std::string_view json);

}  // namespace jettison::kube
