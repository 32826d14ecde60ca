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

#include "agent/cluster/cluster_caller.h"
#include "agent/cluster/node_reporter.h"
#include "agent/dependencies/dependencies.h"
#include "agent/state/agent_state.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "machine/log/event_log.h"
#include "ports/cgroups.h"
#include "sources/kubernetes/calls/event_queue.h"
#include "sources/kubernetes/evictions/pod_eviction.h"
#include "sources/kubernetes/pods/kubelet_pod.h"

namespace jettison {

// What the agent's side towards a cluster works with; everything must outlive it.
struct ClusterSideDependencies {
  ClusterAccess access;
  Cgroups& groups;                                               // where the pods' groups are
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

// Reports evictions, conditions and events of this node to the cluster's API server: each evicted
// pod until that has succeeded, in this run of the agent or a later one. In a dry run
// it reports nothing, and removes what an earlier agent that evicted pods has left: its taints and
// conditions of the node, and the limits that keep pods of unfinished evictions from starting,
// because a dry run ends no pod. Nothing here waits.
//
// It also frees the pods that are held although nobody evicts them, or evicts them any more. An
// agent that was killed after it had held a pod may not have recorded the eviction, and the record
// may have been lost. The pod could start no process for good.
class ClusterSide : public NodeListener {
 public:
  // What the API server tells of a pod for so long after it has confirmed the deletion may be older
  // than that.
  static constexpr Duration kMayBeOld = std::chrono::seconds(10);
  // How often it is tried to free a pod that could not be freed.
  static constexpr Duration kFreeEvery = std::chrono::minutes(1);

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
  [[nodiscard]] std::vector<kube::EvictionIntent> Unfinished() const;
  [[nodiscard]] StateChanges changes() const { return changes_; }
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
  struct Eviction {
    kube::PodEviction steps;
    std::optional<NodeConditionType> condition;  // for which it is, while its taint is on its way
  };
  using Evictions = std::map<std::uint64_t, Eviction>;  // in the order in which they began

  // Whether the eviction was begun before the machine was restarted. It is dropped then.
  [[nodiscard]] bool DropOfEarlierBoot(const kube::EvictionIntent& intent);
  void Add(kube::EvictionIntent intent, std::optional<NodeConditionType> condition,
           Instant evicted_at, Instant delete_due);
  [[nodiscard]] bool IsUnderWay(std::string_view uid) const;
  // Whether the pod's eviction is under way, or was over just now, so that an older list may still
  // have the pod.
  [[nodiscard]] bool IsEvicted(std::string_view uid) const;
  void AdvanceEvictions(Instant now);
  void Ask(std::uint64_t eviction, const std::string& uid, kube::EvictionCall call);
  void Take(std::uint64_t eviction, kube::CallPurpose purpose, const kube::Outcome& outcome);
  void EndIfOver(Evictions::iterator at);
  // Sets the limit of processes of a held group. A group that is gone, or is not known, is left
  // alone. False: that failed, which is logged with this message.
  bool Limit(const kube::EvictionIntent& intent, std::int64_t processes, const char* failure);
  // The pod's limit is to be restored.
  void ToFree(kube::EvictionIntent intent, Instant now);
  void FreeHeld(Instant now);
  void SendEvents(Instant now);
  [[nodiscard]] std::optional<kube::EventObject> ObjectOf(const Event& event) const;

  ClusterSideDependencies dependencies_;
  std::string name_;  // of the node
  ClusterCaller caller_;
  NodeReporter node_;
  Evictions evictions_;
  std::uint64_t next_id_ = 1;
  std::map<std::string, Instant, std::less<>> over_;  // deleted pods by UID, and since when
  StateChanges changes_;                              // of Unfinished
  kube::EventQueue events_;
  // Evictions of an earlier agent whose pods have not been found yet, by UID.
  std::map<std::string, kube::EvictionIntent> unended_;
  std::vector<kube::EvictionIntent> to_free_;
  Instant free_at_ = Instant::min();  // when those are freed
  std::uint64_t told_events_ = 0;
  bool stopping_ = false;
};

}  // namespace jettison
