#include "agent/looks/warm_pods.h"

#include <algorithm>
#include <iterator>

namespace jettison {

void WarmPods::Keep(const std::vector<const PodFacts*>& pods, Figures& figures) {
  if (pods == pods_) return;
  std::vector<const PodFacts*> added;
  std::ranges::copy_if(pods, std::back_inserter(added), [this](const PodFacts* pod) {
    return std::ranges::find(pods_, pod) == pods_.end();
  });
  pods_ = pods;
  std::vector<PodStats> unused;
  figures.ReadMemoryOf(added, unused);
}

}  // namespace jettison
