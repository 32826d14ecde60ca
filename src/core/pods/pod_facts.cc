#include "core/pods/pod_facts.h"

#include <algorithm>
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

void AddVolumeLimits(const Pod& pod, std::vector<StorageLimit>& limits) {
  for (std::size_t i = 0; i < pod.volumes.size(); ++i) {
    const auto* empty_dir = std::get_if<EmptyDirSource>(&pod.volumes[i].source);
    if (empty_dir == nullptr || !empty_dir->size_limit || empty_dir->size_limit->Sign() <= 0)
      continue;
    limits.push_back(
        {StorageLimitKind::kEmptyDir, pod.volumes[i].name, empty_dir->size_limit->ToNanos(), i});
  }
}

void AddContainerLimits(const Pod& pod, std::vector<StorageLimit>& limits) {
  for (std::size_t i = 0; i < pod.containers.size(); ++i) {
    const Container& container = pod.containers[i];
    const Quantity* limit = FindResource(container.resources.limits, kEphemeralStorageResource);
    if (limit == nullptr || limit->Value() == 0) continue;
    limits.push_back({StorageLimitKind::kContainer, container.name, limit->ToNanos(), i});
  }
}

bool SameOrder(const std::vector<const PodFacts*>& pods, const std::vector<PodStats>& stats) {
  return pods.size() == stats.size() &&
         std::equal(pods.begin(), pods.end(), stats.begin(),
                    [](const PodFacts* pod, const PodStats& s) { return pod->pod.uid == s.uid; });
}

void JoinByUid(const std::vector<const PodFacts*>& pods, const std::vector<PodStats>& stats,
               std::vector<ActivePod>& joined) {
  std::unordered_map<std::string_view, const PodStats*> by_uid;
  by_uid.reserve(stats.size());
  for (const PodStats& each : stats) by_uid[each.uid] = &each;  // the last stats of a UID count
  for (const PodFacts* pod : pods) {
    const auto found = by_uid.find(pod->pod.uid);
    joined.push_back({pod, found == by_uid.end() ? nullptr : found->second});
  }
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
  AddVolumeLimits(pod, facts.storage_limits);
  if (const auto limit = EffectiveLimit(pod, kEphemeralStorageResource)) {
    facts.storage_limits.push_back({.name = "", .limit = limit->ToNanos()});
  }
  AddContainerLimits(pod, facts.storage_limits);
  for (const Volume& volume : pod.volumes) {
    if (IsLocal(volume.source)) facts.local_volumes.push_back(volume.name);
  }
  facts.requests = RequestsOf(pod);
  facts.pod = std::move(pod);
  return facts;
}

void JoinStats(const std::vector<const PodFacts*>& pods, const Summary& summary,
               std::vector<ActivePod>& joined) {
  joined.clear();
  if (SameOrder(pods, summary.pods)) {
    for (std::size_t i = 0; i < pods.size(); ++i) joined.push_back({pods[i], &summary.pods[i]});
    return;
  }
  JoinByUid(pods, summary.pods, joined);
}

}  // namespace jettison
