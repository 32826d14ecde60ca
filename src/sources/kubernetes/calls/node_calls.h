#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/value.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/objects/api_node.h"

namespace jettison::kube {

[[nodiscard]] ApiCall GetNode(const std::string& name);

// A condition of the node that is the agent's own. The kubelet keeps types that it does not know.
struct NodeCondition {
  std::string type;  // "JettisonMemoryPressure"
  bool holds = false;
  std::string reason;  // "JettisonHasInsufficientMemory"
  std::string message;
  WallTime heartbeat;   // when it was looked at last
  WallTime transition;  // since when it holds, or not
};
// Sets these conditions and leaves all others alone.
[[nodiscard]] ApiCall SetNodeConditions(const std::string& node,
                                        const std::vector<NodeCondition>& conditions);
// Takes conditions of these types away.
[[nodiscard]] ApiCall RemoveNodeConditions(const std::string& node,
                                           const std::vector<std::string>& types);

// A taint that is to be there, or not.
struct TaintWish {
  std::string key;  // "jettison.io/memory-pressure"
  std::string effect = "NoSchedule";
  bool present = true;
};

// The call that makes it so, from this state of the node; absent where it is so already. The list
// of taints is written as a whole, with those of others as they are; a node that was changed
// meanwhile answers kConflict.
[[nodiscard]] std::optional<ApiCall> ChangeTaint(const ApiNode& node, const TaintWish& wish);

// Gets the running configuration of the kubelet through the API server. Needs the right to get
// nodes/proxy.
[[nodiscard]] ApiCall GetKubeletConfiguration(const std::string& node);
// Gets it from the kubelet itself (KubeletUrlOf). Needs the right to get nodes/configz; before
// Kubernetes 1.33, nodes/proxy. (KEP-2862)
[[nodiscard]] ApiCall GetOwnKubeletConfiguration();
// The answer to both: a KubeletConfiguration, as its file would have it.
[[nodiscard]] Result<Value> ReadKubeletConfiguration(std::string_view body);

}  // namespace jettison::kube
