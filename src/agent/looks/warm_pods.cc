#include "agent/looks/warm_pods.h"

#include <unordered_set>

namespace jettison {

void WarmPods::Keep(const std::vector<const PodFacts*>& pods, Figures& figures) {
  if (pods == pods_) return;
  const std::unordered_set<const PodFacts*> known(pods_.begin(), pods_.end());
  for (const PodFacts* pod : pods) {
    if (known.contains(pod)) continue;
    (void)figures.ReadCharge(Resource::kMemory, *pod);
  }
  pods_ = pods;
}

}  // namespace jettison
