#include "agent/looks/pod_walk.h"

#include <algorithm>

namespace jettison {

void PodWalk::Begin(std::span<const PodFacts* const> pods, bool disk_is_short, Instant now) {
  began_at_ = now;
  began_short_ = disk_is_short;
  uids_.clear();
  for (const PodFacts* facts : pods) uids_.insert(facts->pod.uid);
  walks_.Start(pods);
}

bool PodWalk::Serves(std::span<const PodFacts* const> pods, Instant then) const {
  return began_at_ && *began_at_ > then && std::ranges::all_of(pods, [&](const PodFacts* facts) {
           return !facts->has_storage_limits && uids_.contains(facts->pod.uid);
         });
}

bool PodWalk::MayMissCause(std::span<const PodFacts* const> pods, const DiskUse& measured) const {
  if (!began_short_) return !pods.empty();
  return std::ranges::any_of(pods, [&](const PodFacts* facts) {
    return !measured.contains(facts->pod.uid) && !uids_.contains(facts->pod.uid);
  });
}

}  // namespace jettison
