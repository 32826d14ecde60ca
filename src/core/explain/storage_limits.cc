#include "core/explain/storage_limits.h"

#include <algorithm>

#include "core/explain/pod_ranking.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

std::optional<std::int64_t> UsedBytes(const std::optional<FsUsage>& usage) {
  if (!usage || !usage->used_bytes) return std::nullopt;
  return static_cast<std::int64_t>(*usage->used_bytes);
}

std::optional<std::int64_t> UsedByVolume(const PodStats& stats, const std::string& name) {
  // If several figures have one name, the last counts, as in the decision.
  std::optional<std::int64_t> used;
  for (const VolumeStats& volume : stats.volumes) {
    if (volume.name == name && volume.usage.used_bytes) used = UsedBytes(volume.usage);
  }
  return used;
}

// If images have a file system of their own, a container's writable layer is not counted.
std::optional<std::int64_t> UsedByContainer(const PodStats& stats, const std::string& name,
                                            DiskLayout layout) {
  const auto found = std::ranges::find(stats.containers, name, &ContainerStats::name);
  if (found == stats.containers.end()) return std::nullopt;
  const auto logs = UsedBytes(found->logs);
  if (layout.dedicated_image_fs) return logs;
  const auto layer = UsedBytes(found->rootfs);
  if (!logs && !layer) return std::nullopt;
  return logs.value_or(0) + layer.value_or(0);
}

std::optional<std::int64_t> UsedOf(const ActivePod& pod, StorageLimitKind kind,
                                   const std::string& name, DiskLayout layout) {
  if (pod.stats == nullptr) return std::nullopt;
  switch (kind) {
    case StorageLimitKind::kEmptyDir: return UsedByVolume(*pod.stats, name);
    case StorageLimitKind::kPod: return UsedBytes(pod.stats->ephemeral_storage);
    case StorageLimitKind::kContainer: return UsedByContainer(*pod.stats, name, layout);
  }
  __builtin_unreachable();
}

StorageLimitFacts FactsOf(const ActivePod& pod, StorageLimitKind kind, const StorageLimit& limit,
                          DiskLayout layout) {
  return {.pod = IdentityOf(*pod.facts),
          .kind = kind,
          .name = limit.name,
          .used = UsedOf(pod, kind, limit.name, layout),
          .limit = WholeUnits(limit.limit)};
}

StorageLimit LimitIn(const PodFacts& facts, StorageLimitKind kind, std::size_t index) {
  switch (kind) {
    case StorageLimitKind::kEmptyDir: return facts.empty_dir_limits[index];
    case StorageLimitKind::kPod: return {.name = "", .limit = *facts.ephemeral_storage_limit};
    case StorageLimitKind::kContainer: return facts.container_limits[index];
  }
  __builtin_unreachable();
}

}  // namespace

std::vector<StorageLimitFacts> StorageLimitsOf(const ActivePod& pod, DiskLayout layout,
                                               const std::optional<StorageViolation>& broken) {
  std::vector<StorageLimitFacts> limits;
  const auto add = [&](StorageLimitKind kind, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      limits.push_back(FactsOf(pod, kind, LimitIn(*pod.facts, kind, i), layout));
      limits.back().broken = broken && broken->kind == kind && broken->index == i;
    }
  };
  add(StorageLimitKind::kEmptyDir, pod.facts->empty_dir_limits.size());
  add(StorageLimitKind::kPod, pod.facts->ephemeral_storage_limit ? 1 : 0);
  add(StorageLimitKind::kContainer, pod.facts->container_limits.size());
  return limits;
}

StorageLimitFacts LimitOf(const ActivePod& pod, const StorageViolation& violation,
                          DiskLayout layout) {
  StorageLimitFacts facts =
      FactsOf(pod, violation.kind, LimitIn(*pod.facts, violation.kind, violation.index), layout);
  facts.broken = true;
  return facts;
}

}  // namespace jettison
