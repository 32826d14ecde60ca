#pragma once

#include <optional>
#include <string>

#include "agent/cluster/cluster_caller.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/node/node_pressure.h"

namespace jettison {

// Publishes node pressure: sets the agent's own conditions and taints on the node's API object.
// Nothing here waits.
class NodeReporter {
 public:
  // What cannot be removed within this time stays until the next run of the agent.
  static constexpr Duration kStopWithin = std::chrono::seconds(3);

  // `node`: its name in the cluster.
  NodeReporter(const ClusterAccess& access, const std::string& node);

  // Sets the present conditions.
  void SetConditions(NodeConditions conditions, Instant now);
  // A pod is evicted for this condition: the taint that keeps new pods off the node is put on it at
  // once, whether or not the condition is announced yet.
  void Urge(NodeConditionType condition, Instant now);
  // Whether an eviction need not wait for the taint: it is set, or it cannot be set for now.
  [[nodiscard]] bool IsSettled(NodeConditionType condition) const {
    return taints_.IsSettled(condition);
  }
  // Why nothing is known of the node: the cluster has none of its name. Empty: it has one, as far
  // as is known.
  [[nodiscard]] std::string WhyMissing() const;

  // Does what is due by now. The first call begins to read the node.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  // Begins to remove all conditions and taints of the agent.
  void Stop(Instant now);
  // Whether everything is removed, or kStopWithin has passed.
  [[nodiscard]] bool IsStopped(Instant now) const;

 private:
  void AskForTaints(Instant now);
  void TakeForTaints(const Result<kube::ApiReply>& reply);
  void TakeForConditions(const Result<kube::ApiReply>& reply);
  void NoteWhetherMissing(const kube::Outcome& outcome);

  ClusterCaller caller_;
  std::string name_;
  kube::PressureTaints taints_;
  kube::PressureConditions conditions_;
  bool is_missing_ = false;  // the cluster has no node of this name
  bool was_found_ = false;   // the conditions that an earlier run left are known
  std::optional<Instant> stop_by_;
};

}  // namespace jettison
