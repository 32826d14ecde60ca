#include "core/pods/pod_facts.h"

#include <functional>
#include <unordered_map>

#include "core/model/pod.h"
#include "core/pods/pod_kind.h"

namespace jettison {
namespace {

// Whether IsLocalEphemeralVolume and localVolumeNames of the kubelet (1.36) count the volume as
// local disk use.
bool IsLocal(const VolumeSource& source) {
  if (const auto* empty_dir = std::get_if<EmptyDirSource>(&source)) {
    return empty_dir->medium.empty();
  }
  return std::holds_alternative<HostPathSource>(source) ||
         std::holds_alternative<ConfigMapSource>(source) ||
         std::holds_alternative<GitRepoSource>(source);
}

std::vector<StorageLimit> StorageLimitsOf(const Pod& pod) {
  std::vector<StorageLimit> limits;
  for (const Volume& volume : pod.volumes) {
    const auto* empty_dir = std::get_if<EmptyDirSource>(&volume.source);
    if (empty_dir == nullptr || !empty_dir->size_limit) continue;
    if (empty_dir->size_limit->Sign() <= 0) continue;
    limits.push_back({StorageLimitKind::kEmptyDir, volume.name, *empty_dir->size_limit});
  }
  if (const auto of_pod = EffectiveLimit(pod, kEphemeralStorageResource)) {
    limits.push_back({StorageLimitKind::kPod, "", *of_pod});
  }
  for (const Container& container : pod.containers) {
    const Quantity* limit = FindResource(container.resources.limits, kEphemeralStorageResource);
    if (limit == nullptr || limit->Value() == 0) continue;
    limits.push_back({StorageLimitKind::kContainer, container.name, *limit});
  }
  return limits;
}

}  // namespace

PodFacts FactsOf(Pod pod, Profile profile) {
  PodFacts facts;
  facts.identity = std::hash<std::string_view>()(pod.uid);
  facts.priority = pod.priority.value_or(0);
  if (IsCritical(pod, profile)) facts.protection = Protection::kCritical;
  facts.qos = QosClassOf(pod);
  facts.memory_request = EffectiveRequest(pod, "memory").ToNanos();
  facts.ephemeral_storage_request = EffectiveRequest(pod, kEphemeralStorageResource).ToNanos();
  facts.storage_limits = StorageLimitsOf(pod);
  for (const Volume& volume : pod.volumes) {
    if (IsLocal(volume.source)) facts.local_volumes.push_back(volume.name);
  }
  facts.requests = RequestsOf(pod);
  facts.pod = std::move(pod);
  return facts;
}

std::vector<ActivePod> JoinStats(std::span<const PodFacts* const> pods, const Summary& summary) {
  std::unordered_map<std::string_view, const PodStats*> by_uid;
  for (const PodStats& each : summary.pods) by_uid[each.uid] = &each;
  std::vector<ActivePod> joined;
  joined.reserve(pods.size());
  for (const PodFacts* pod : pods) {
    const auto found = by_uid.find(pod->pod.uid);
    joined.push_back({pod, found == by_uid.end() ? nullptr : found->second});
  }
  return joined;
}

}  // namespace jettison
