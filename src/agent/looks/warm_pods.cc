#include "agent/looks/warm_pods.h"

#include <algorithm>

namespace jettison {

void WarmPods::Keep(const std::vector<const PodFacts*>& pods, Figures& figures) {
  if (pods == pods_) return;
  for (const PodFacts* pod : pods) {
    if (std::ranges::find(pods_, pod) != pods_.end()) continue;
    (void)figures.ReadCharge(Resource::kMemory, *pod);
  }
  pods_ = pods;
}

}  // namespace jettison
