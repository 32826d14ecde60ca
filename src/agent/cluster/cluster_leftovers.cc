#include "agent/cluster/cluster_leftovers.h"

#include <algorithm>
#include <utility>

#include "agent/cluster/evictions/group_hold.h"

namespace jettison {

ClusterLeftovers::ClusterLeftovers(const ClusterLeftoverEdges& edges, const std::string& node,
                                   const std::string& root)
    : edges_(edges),
      node_({.cluster = edges.cluster, .clock = edges.clock, .log = edges.log}, node),
      file_(root + "/cluster-evictions", edges.log),
      orphans_({.groups = edges.groups,
                .log = edges.log,
                .pids_limit = edges.pids_limit,
                .take_held = edges.take_held}) {
  held_ = file_.Load();
}

void ClusterLeftovers::Advance(Instant now) {
  node_.Advance(now);
  file_.LogComplaints();
  if (!held_.empty() && (!free_at_ || *free_at_ <= now)) FreePods(now);
  orphans_.Advance([this](const std::string& uid) { return IsRecorded(uid); }, now);
}

bool ClusterLeftovers::IsRecorded(const std::string& uid) const {
  return std::ranges::find(held_, uid, &kube::EvictionIntent::uid) != held_.end();
}

void ClusterLeftovers::FreePods(Instant now) {
  free_at_ = now + kFreeEvery;
  const auto freed = std::erase_if(held_, [this](const kube::EvictionIntent& intent) {
    if (!FreeGroup(intent, edges_.groups, edges_.log)) return false;
    edges_.log.Warn(
        "an earlier agent did not finish the eviction of a pod, and a dry run ends no "
        "pod; the kubelet may start it again",
        {{"pod", intent.namespace_ + "/" + intent.name}, {"uid", intent.uid}});
    return true;
  });
  if (freed > 0) file_.Save(held_);
}

std::optional<Instant> ClusterLeftovers::NextDeadline() const {
  auto next = node_.NextDeadline();
  for (const auto other : {held_.empty() ? std::nullopt : free_at_, orphans_.NextDeadline()}) {
    if (other && (!next || *other < *next)) next = other;
  }
  return next;
}

bool ClusterLeftovers::Stop(Instant now) {
  node_.Stop(now);
  return node_.IsStopped(now);
}

void ClusterLeftovers::Finish() {
  file_.Finish(held_);
  file_.LogComplaints();
}

}  // namespace jettison
