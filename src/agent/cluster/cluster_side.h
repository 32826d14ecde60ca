#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/cluster/evictions/cluster_evictions.h"
#include "agent/cluster/notify/cluster_events.h"
#include "agent/cluster/notify/node_reporter.h"
#include "agent/dependencies/dependencies.h"
#include "agent/state/agent_state.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "machine/log/event_log.h"
#include "machine/log/log.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/evictions/pod_eviction.h"
#include "sources/kubernetes/pods/kubelet_pod.h"

namespace jettison {

// What the agent's side towards a cluster works with; everything must outlive it.
struct ClusterSideDependencies {
  kube::Cluster& cluster;
  Cgroups& groups;  // where the pods' groups are
  const Clock& clock;
  const Log& log;
  std::function<std::string(std::string_view uid)> name_of_pod;  // "namespace/name"
  std::function<std::string(const std::string& uid)> group_of_pod;
  std::optional<std::int64_t> pids_limit;  // of a pod's group, as the kubelet has it
  // Called when the eviction of the pod of this UID was given up: it may run again.
  std::function<void(const std::string& uid)> on_given_up;
  // The pods that were listed since the last call and whose group lets no process start.
  std::function<std::vector<kube::FoundHeld>()> take_held;
  // Ends a pod; false: nothing of it is known to run on the node.
  std::function<bool(const EvictionOrder& order)> end_pod;
  bool dry_run = false;
};

// Frees the pods that are held although nobody evicts them, or evicts them any more. An agent that
// was killed after it had held a pod may not have recorded the eviction, and the record may have
// been lost. The pod could start no process for good.
class HeldOrphans {
 public:
  // How often it is tried to free a pod that could not be freed.
  static constexpr Duration kFreeEvery = std::chrono::minutes(1);

  // `dependencies` must outlive this.
  explicit HeldOrphans(const ClusterSideDependencies& dependencies) : dependencies_(dependencies) {}

  // The eviction of this pod is over: it is to be freed then, or with the others before that.
  void FreeAt(const kube::EvictionIntent& intent, Instant at);
  // Frees what is to be freed. Must not be called before the recorded evictions are known.
  // `is_evicted`: whether the pod of a UID has a recorded eviction; such a pod is left as it is.
  void Advance(const std::function<bool(const std::string& uid)>& is_evicted, Instant now);
  // When a pod is to be tried again; absent: never.
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return free_at_; }

 private:
  [[nodiscard]] bool Has(const std::string& uid) const;
  void Take(kube::FoundHeld held);

  const ClusterSideDependencies& dependencies_;
  std::vector<kube::EvictionIntent> to_free_;  // their limit is to be restored
  std::optional<Instant> free_at_;             // when that is tried again
};

// Reports evictions, conditions and events of this node to the cluster's API server. In a dry run
// it reports nothing, and removes what an earlier agent that evicted pods has left: its taints and
// conditions of the node, and the limits that keep pods of unfinished evictions from starting,
// because a dry run ends no pod. Nothing here waits.
class ClusterSide : public EvictionListener {
 public:
  // `node`: its name in the cluster.
  ClusterSide(ClusterSideDependencies dependencies, const std::string& node);

  void Evicting(const EvictionOrder& order, const Result<EvictOutcome>& outcome,
                Instant now) override;

  // Ends pods that an earlier agent had begun to end and that run. Must be called whenever pods
  // have been found.
  void ContinueEvictions(Instant now);

  // Sets the conditions of the node.
  void SetConditions(NodeConditions conditions, Instant now) {
    if (!dependencies_.dry_run) node_.SetConditions(conditions, now);
  }

  // Sends the events that this agent has added since the last call.
  void ReportEvents(const EventLog& log, Instant now);

  // Number of evictions that are not fully reported to the cluster yet.
  [[nodiscard]] std::size_t evictions_under_way() const { return evictions_.size(); }
  // Number of events that could not be sent since the start.
  [[nodiscard]] std::uint64_t events_dropped() const { return events_.dropped(); }

  // Takes the evictions that an earlier agent did not finish. Must be called before Advance. In a
  // dry run they are dropped.
  void Resume(std::vector<kube::EvictionIntent> earlier);
  // The evictions that the next agent has to finish, and how often they have changed.
  [[nodiscard]] std::vector<kube::EvictionIntent> Unfinished() const {
    return evictions_.Unfinished();
  }
  [[nodiscard]] StateChanges changes() const { return evictions_.changes(); }
  // Does what is due by now. Must be called when an answer to any call has arrived, and at
  // NextDeadline.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const;
  // Why nothing is known of the node: the cluster has none of its name. Empty: it has one, as far
  // as is known.
  [[nodiscard]] std::string WhyNodeIsMissing() const { return node_.WhyMissing(); }
  // Begins to remove the agent's conditions and taints from the node. Returns whether that is over,
  // or has taken too long.
  [[nodiscard]] bool Stop(Instant now);

 private:
  void OnFound(const kube::EvictionIntent& intent);
  void OnOver(const kube::EvictionIntent& intent, kube::EvictionEnd end);

  ClusterSideDependencies dependencies_;
  NodeReporter node_;
  ClusterEvictions evictions_;
  ClusterEvents events_;
  // Evictions of an earlier agent whose pods have not been found yet, by UID.
  std::map<std::string, kube::EvictionIntent> unended_;
  HeldOrphans orphans_;
  std::uint64_t told_events_ = 0;
  bool stopping_ = false;
};

}  // namespace jettison
