#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/cluster/cluster_presence.h"
#include "agent/cluster/evictions/cluster_evictions.h"
#include "agent/cluster/held_orphans.h"
#include "agent/cluster/tell/cluster_events.h"
#include "agent/cluster/tell/node_teller.h"
#include "agent/edges/eviction_listener.h"
#include "agent/log/event_log.h"
#include "agent/log/log.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/cluster.h"
#include "sources/kubernetes/pods/pod_feed.h"

namespace jettison {

// What the agent's side towards a cluster works with; everything must outlive it.
struct ClusterSideEdges {
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
  // As ClusterEvictionEdges::goes_on.
  std::function<std::optional<bool>(const std::string& uid)> goes_on;
};

// Reports evictions, conditions and events of this node to the cluster's API server.
class ClusterSide : public EvictionListener, public ClusterPresence {
 public:
  // `node`: its name in the cluster; `root`: the agent's folder.
  ClusterSide(ClusterSideEdges edges, const std::string& node, const std::string& root);

  void Evicting(const EvictionOrder& order, const Result<EvictOutcome>& outcome,
                Instant now) override;

  // Ends pods that an earlier agent had begun to end and that run. Must be called whenever pods
  // have been found.
  void ContinueEvictions(Instant now);

  // Sets the conditions of the node.
  void SetConditions(NodeConditions conditions, Instant now) {
    node_.SetConditions(conditions, now);
  }

  // Sends the events that this agent has added since the last call.
  void TellEvents(const EventLog& log, Instant now);

  // Number of evictions that are not fully reported to the cluster yet.
  [[nodiscard]] std::size_t evictions_under_way() const { return evictions_.size(); }
  // Number of events that could not be sent since the start.
  [[nodiscard]] std::uint64_t events_dropped() const { return events_.dropped(); }

  void Advance(Instant now) override;
  [[nodiscard]] std::optional<Instant> NextDeadline() const override;
  [[nodiscard]] int fd() const override { return evictions_.fd(); }
  [[nodiscard]] std::string WhyNodeIsMissing() const override { return node_.WhyMissing(); }
  [[nodiscard]] bool Stop(Instant now) override;
  // Saves the unfinished evictions.
  void Finish() override { evictions_.Finish(); }

 private:
  void OnFound(const kube::EvictionIntent& intent);
  void OnOver(const kube::EvictionIntent& intent, kube::EvictionEnd end);

  ClusterSideEdges edges_;
  NodeTeller node_;
  ClusterEvictions evictions_;
  ClusterEvents events_;
  // Evictions of an earlier agent whose pods have not been found yet, by UID.
  std::map<std::string, kube::EvictionIntent> unended_;
  HeldOrphans orphans_;
  std::uint64_t told_events_ = 0;
  bool stopping_ = false;
};

}  // namespace jettison
