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
#include "sources/kubernetes/objects/api_objects.h"

namespace jettison::kube {

// Identifies one pod, and no other pod that has its name by the time of the call.
struct PodTarget {
  std::string namespace_;
  std::string name;
  std::string uid;
};

// Deletes the pod with this grace period, at least 1 s; the kubelet uses at least two seconds.
// PodDisruptionBudgets are not consulted. kDone: the deletion has begun, now or before; kGone,
// kAnother: the pod no longer exists.
[[nodiscard]] ApiCall DeletePod(const PodTarget& pod, std::int64_t grace_seconds);

// Why a pod is ended, as the kubelet writes it when it evicts one.
// Source: pkg/kubelet/eviction, evictPod (1.36).
struct DisruptionMark {
  std::string message;  // "The node was low on resource: memory. ..."
  WallTime now;
  // Absent from a pod that exceeded a limit of its own: a Job would not count that failure.
  bool disruption_target = true;
};
// Gives the pod the reason Evicted, the message, and the condition DisruptionTarget
// (TerminationByKubelet); its phase stays the kubelet's. A Job may leave a failure with that
// condition out of its count (podFailurePolicy). The condition holds if it comes before the
// kubelet's last word on the pod; the reason and the message only where DeletePod follows at once,
// for the kubelet writes its own with the next change of a pod that goes on.
[[nodiscard]] ApiCall MarkPod(const PodTarget& pod, const DisruptionMark& mark);

struct EvictionOptions {
  std::optional<std::int64_t> grace_seconds;  // at least 1 is sent; absent: the pod's own
  bool dry_run = false;                       // the server only says what it would answer
};
// Asks for the pod's eviction, which budgets may forbid (kBudget, with the server's words). The
// server sets the condition DisruptionTarget by itself.
[[nodiscard]] ApiCall EvictPod(const PodTarget& pod, const EvictionOptions& options);

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
