#include "core/decide/local_storage.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/pod_resources.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

std::optional<std::int64_t> UsedBytes(const std::optional<FsUsage>& usage) {
  if (!usage || !usage->used_bytes) return std::nullopt;
  return static_cast<std::int64_t>(*usage->used_bytes);
}

std::optional<std::int64_t> UseOf(const ContainerStats& container, DiskLayout layout) {
  const auto logs = UsedBytes(container.logs);
  const auto layer = layout.dedicated_image_fs ? std::nullopt : UsedBytes(container.rootfs);
  if (!logs && !layer) return std::nullopt;
  // Without sign, because the sum of absurd figures wraps around.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(logs.value_or(0)) +
                                   static_cast<std::uint64_t>(layer.value_or(0)));
}

// The limit that is exceeded first, by its place. Containers are checked in the order of their
// figures; of two limits for one name the last counts. (kubelet:
// containerEphemeralStorageLimitEviction)
std::optional<std::size_t> BrokenLimit(const ActivePod& pod, DiskLayout layout) {
  const std::vector<StorageLimit>& limits = pod.facts->storage_limits;
  const auto is_over = [&](std::size_t limit, std::optional<std::int64_t> used) {
    return used && Nanos{*used} * kNanosPerUnit > limits[limit].limit;
  };
  std::size_t i = 0;
  for (; i < limits.size() && limits[i].kind != StorageLimitKind::kContainer; ++i) {
    if (is_over(i, LimitedUse(*pod.stats, limits[i], layout))) return i;
  }
  if (i == limits.size()) return std::nullopt;
  for (const ContainerStats& container : pod.stats->containers) {
    std::size_t last = limits.size();
    while (last > i && limits[last - 1].name != container.name) --last;
    if (last > i && is_over(last - 1, UseOf(container, layout))) return last - 1;
  }
  return std::nullopt;
}

}  // namespace

// (kubelet: emptyDirLimitEviction keeps volumes in a map)
std::optional<std::int64_t> LimitedUse(const PodStats& stats, const StorageLimit& limit,
                                       DiskLayout layout) {
  switch (limit.kind) {
    case StorageLimitKind::kEmptyDir:
      for (auto each = stats.volumes.rbegin(); each != stats.volumes.rend(); ++each) {
        if (each->name == limit.name && each->usage.used_bytes) return UsedBytes(each->usage);
      }
      return std::nullopt;
    case StorageLimitKind::kPod: return UsedBytes(stats.ephemeral_storage);
    case StorageLimitKind::kContainer: {
      const auto found = std::ranges::find(stats.containers, limit.name, &ContainerStats::name);
      return found == stats.containers.end() ? std::nullopt : UseOf(*found, layout);
    }
  }
  __builtin_unreachable();
}

std::vector<StorageViolation> StorageViolations(std::span<const ActivePod> pods,
                                                DiskLayout layout) {
  std::vector<StorageViolation> violations;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const ActivePod& pod = pods[i];
    const PodFacts& facts = *pod.facts;
    const bool may_go = !facts.IsProtected() || facts.IsSpared();
    if (!facts.HasStorageLimits() || !may_go || pod.stats == nullptr) continue;
    // A usage that was measured in an earlier pass may be lower by now.
    if (pod.stats->stale_disk) continue;
    if (const auto broken = BrokenLimit(pod, layout)) {
      violations.push_back(
          {.pod = i, .kind = facts.storage_limits[*broken].kind, .index = *broken});
    }
  }
  return violations;
}

std::string ViolationMessage(const PodFacts& facts, const StorageViolation& violation) {
  const StorageLimit& limit = facts.storage_limits[violation.index];
  switch (violation.kind) {
    case StorageLimitKind::kEmptyDir: {
      const auto& source = std::get<EmptyDirSource>(facts.pod.volumes[limit.place].source);
      return fmt::format("Usage of EmptyDir volume \"{}\" exceeds the limit \"{}\". ", limit.name,
                         source.size_limit->ToString());
    }
    case StorageLimitKind::kPod:
      return fmt::format(
          "Pod ephemeral local storage usage exceeds the total limit of containers {}. ",
          EffectiveLimit(facts.pod, "ephemeral-storage")->ToString());
    case StorageLimitKind::kContainer: {
      const ResourceList& limits = facts.pod.containers[limit.place].resources.limits;
      return fmt::format("Container {} exceeded its local ephemeral storage limit \"{}\". ",
                         limit.name, limits.find("ephemeral-storage")->second.ToString());
    }
  }
  __builtin_unreachable();
}

}  // namespace jettison
