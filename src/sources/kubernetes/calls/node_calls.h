#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
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

// Puts a taint on a node or takes it off: one call where the node's state is known, else it is read
// first; after a conflict it is read again, and before it is believed that nothing is to be done. A
// pure state machine.
class TaintChange {
 public:
  // `known`: the node's last state that was seen, however old.
  TaintChange(std::string node, TaintWish wish, std::optional<ApiNode> known);

  // The next call, or what became of all of it.
  [[nodiscard]] std::variant<ApiCall, Outcome> Next() const;
  void Take(const Result<ApiReply>& reply);
  // The node's state as of the last answer, for the next change.
  [[nodiscard]] const std::optional<ApiNode>& node() const { return known_; }

 private:
  // A change is given up after more conflicts than this: some other client writes the node all the
  // time.
  static constexpr int kMostConflicts = 5;

  std::string name_;
  TaintWish wish_;
  std::optional<ApiNode> known_;
  bool was_read_ = false;  // `known_` is an answer to this change
  std::optional<Outcome> outcome_;
  int conflicts_ = 0;
};

// Gets the running configuration of the kubelet through the API server. Needs the right to get
// nodes/proxy.
[[nodiscard]] ApiCall GetKubeletConfiguration(const std::string& node);
// Gets it from the kubelet itself (KubeletUrlOf). Needs the right to get nodes/configz; before
// Kubernetes 1.33, nodes/proxy. (KEP-2862)
[[nodiscard]] ApiCall GetOwnKubeletConfiguration();
// The answer to both: a KubeletConfiguration, as its file would have it.
[[nodiscard]] Result<Value> ReadKubeletConfiguration(std::string_view body);

}  // namespace jettison::kube
