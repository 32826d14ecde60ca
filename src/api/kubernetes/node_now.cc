#include "api/kubernetes/node_now.h"

#include <string_view>
#include <unordered_set>

namespace jettison {
namespace {

// What could be chosen by a pass that ran now; what is ending is gone by then.
bool MayBeChosen(const PodView& pod) {
  return pod.activity == PodActivity::kRunning || pod.activity == PodActivity::kStarting;
}

}  // namespace

NodeNow NodeNowOf(const Snapshot& snapshot) {
  NodeNow node{.at = snapshot.at,
               .passes = snapshot.passes,
               .policy = snapshot.policy,
               .summary = snapshot.summary,
               .waiting_for_cleanup = snapshot.waiting_for_cleanup,
               .pace = snapshot.pace};
  if (snapshot.last_report) {
    node.state = snapshot.last_report->evaluation.next;
    node.spared = snapshot.last_report->spared;
  }
  for (const ThresholdView& view : snapshot.thresholds) node.time_to.push_back(view.time_to);
  if (snapshot.node) {
    node.profile = snapshot.node->config.profile;
    node.memory_estimator = snapshot.node->config.memory_estimator;
  }
  std::unordered_set<std::string_view> measured;
  for (const PodStats& stats : snapshot.summary->pods) measured.insert(stats.uid);
  for (const PodView& pod : snapshot.pods) {
    if (MayBeChosen(pod) && measured.contains(pod.uid)) node.pods.push_back(pod.facts);
  }
  return node;
}

}  // namespace jettison
