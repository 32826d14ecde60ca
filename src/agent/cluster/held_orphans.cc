#include "agent/cluster/held_orphans.h"

#include <algorithm>

#include "agent/cluster/evictions/group_hold.h"

namespace jettison {

void HeldOrphans::FreeAt(const kube::EvictionIntent& intent, Instant at) {
  to_free_.push_back(intent);
  free_at_ = std::min(free_at_.value_or(at), at);
}

bool HeldOrphans::Has(const std::string& uid) const {
  return std::ranges::find(to_free_, uid, &kube::EvictionIntent::uid) != to_free_.end();
}

void HeldOrphans::Advance(const std::function<bool(const std::string& uid)>& is_evicted,
                          Instant now) {
  for (kube::FoundHeld& held : edges_.take_held()) {
    if (is_evicted(held.head.uid) || Has(held.head.uid)) continue;
    Take(std::move(held));
    free_at_ = now;
  }
  if (to_free_.empty()) return;
  if (free_at_ && now < *free_at_) return;
  freed_ += std::erase_if(to_free_, [&](const kube::EvictionIntent& pod) {
    return is_evicted(pod.uid) || FreeGroup(pod, edges_.groups, edges_.log);
  });
  free_at_ = to_free_.empty() ? std::nullopt : std::optional(now + kFreeEvery);
}

void HeldOrphans::Take(kube::FoundHeld held) {
  edges_.log.Warn(
      "a pod can start no process, although its eviction is not recorded; its process limit is "
      "restored, and the kubelet may start it again",
      {{"pod", held.head.namespace_ + "/" + held.head.name}, {"uid", held.head.uid}});
  to_free_.push_back({.namespace_ = std::move(held.head.namespace_),
                      .name = std::move(held.head.name),
                      .uid = std::move(held.head.uid),
                      .message = {},
                      .evicted_at = {},
                      .boot_id = {},
                      .held_group = std::move(held.group),
                      .pids_limit = edges_.pids_limit});
}

}  // namespace jettison
