#pragma once

#include <optional>
#include <string>

#include "agent/cluster/cluster_presence.h"
#include "agent/cluster/evictions/intent_file.h"
#include "agent/cluster/tell/node_teller.h"
#include "agent/log/log.h"
#include "core/units/duration.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/cluster.h"

namespace jettison {

// What ClusterLeftovers works with; everything must outlive it.
struct ClusterLeftoverEdges {
  kube::Cluster& cluster;
  Cgroups& groups;  // where the pods' groups are
  const Clock& clock;
  const Log& log;
};

// What a dry run does in a cluster: removes what an earlier agent that evicted pods has left there.
// Its taints and conditions are removed from the node. Evictions that it did not finish are given
// up: their pods may run again, because a dry run ends no pod. Sets nothing of its own.
class ClusterLeftovers : public ClusterPresence {
 public:
  // How often it is tried to free a pod that could not be freed.
  static constexpr Duration kFreeEvery = std::chrono::minutes(1);

  // `node`: its name in the cluster; `root`: the agent's folder.
  ClusterLeftovers(const ClusterLeftoverEdges& edges, const std::string& node,
                   const std::string& root);

  void Advance(Instant now) override;
  [[nodiscard]] std::optional<Instant> NextDeadline() const override;
  [[nodiscard]] int fd() const override { return file_.fd(); }
  [[nodiscard]] std::string WhyNodeIsMissing() const override { return node_.WhyMissing(); }
  [[nodiscard]] bool Stop(Instant now) override;
  // Saves the evictions whose pods could not be freed.
  void Finish() override;

 private:
  void TakeLoaded();
  void FreePods(Instant now);

  ClusterLeftoverEdges edges_;
  NodeTeller node_;
  IntentFile file_;
  IntentFile::Intents held_;  // evictions whose pods are to be freed
  std::optional<Instant> free_at_;
};

}  // namespace jettison
