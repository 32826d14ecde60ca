#include "agent/cluster/evictions/group_hold.h"

#include <cstdint>
#include <string>

namespace jettison {
namespace {

constexpr std::int64_t kNoLimit = -1;

std::string PodOf(const kube::EvictionIntent& intent) {
  return intent.namespace_ + "/" + intent.name;
}

// To a group that is gone, Create would make it again. kNotFound: it is gone, or there is none.
Result<void> Limit(const kube::EvictionIntent& intent, std::int64_t processes, Cgroups& groups) {
  if (intent.held_group.empty()) return Fail(ErrorCode::kNotFound, "the group is not known");
  if (const auto there = groups.Children(intent.held_group); !there) return Fail(there.error());
  return groups.Create(intent.held_group, {.pids_max = processes});
}

}  // namespace

void HoldGroup(const kube::EvictionIntent& intent, Cgroups& groups, const Log& log) {
  const auto held = Limit(intent, 0, groups);
  if (held || held.error().code == ErrorCode::kNotFound) return;
  log.Warn("the group of an evicted pod cannot be held; the kubelet may start the pod again",
           {{"pod", PodOf(intent)}, {"err", held.error().message}});
}

bool FreeGroup(const kube::EvictionIntent& intent, Cgroups& groups, const Log& log) {
  const auto freed = Limit(intent, intent.pids_limit.value_or(kNoLimit), groups);
  if (freed || freed.error().code == ErrorCode::kNotFound) return true;
  log.Warn("the process limit of a pod cannot be restored; the pod can start no processes",
           {{"pod", PodOf(intent)}, {"err", freed.error().message}});
  return false;
}

}  // namespace jettison
