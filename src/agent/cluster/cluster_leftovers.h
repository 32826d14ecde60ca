#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/cluster/cluster_presence.h"
#include "agent/cluster/evictions/intent_file.h"
#include "agent/cluster/held_orphans.h"
#include "agent/cluster/tell/node_teller.h"
#include "agent/log/log.h"
#include "core/units/duration.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/cluster.h"
#include "sources/kubernetes/pods/pod_feed.h"

namespace jettison {

// What ClusterLeftovers works with; everything must outlive it.
struct ClusterLeftoverEdges {
  kube::Cluster& cluster;
  Cgroups& groups;  // where the pods' groups are
  const Clock& clock;
  const Log& log;
  std::optional<std::int64_t> pids_limit;  // of a pod's group, as the kubelet has it
  // The pods that were listed since the last call and whose group lets no process start.
  std::function<std::vector<kube::FoundHeld>()> take_held;
};

// What a dry run does in a cluster: removes what an earlier agent that evicted pods has left there.
// Its taints and conditions are removed from the node. Evictions that it did not finish are given
// up: their pods may run again, because a dry run ends no pod, and so may pods that are held
// without a recorded eviction. Sets nothing of its own.
class ClusterLeftovers : public ClusterPresence {
 public:
  // How often it is tried to free a pod that could not be freed.
  static constexpr Duration kFreeEvery = HeldOrphans::kFreeEvery;

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
  void FreePods(Instant now);
  [[nodiscard]] bool IsRecorded(const std::string& uid) const;

  ClusterLeftoverEdges edges_;
  NodeTeller node_;
  IntentFile file_;
  IntentFile::Intents held_;  // evictions whose pods are to be freed
  std::optional<Instant> free_at_;
  HeldOrphans orphans_;
};

}  // namespace jettison
