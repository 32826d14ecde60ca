#include "core/decide/local_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/model/pod_resources.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

Nanos Bytes(std::uint64_t bytes) {
  return Nanos{static_cast<std::int64_t>(bytes)} * kNanosPerUnit;
}
std::uint64_t Used(const std::optional<FsUsage>& usage) {
  return usage ? usage->used_bytes.value_or(0) : 0;
}

}  // namespace

// (kubelet: emptyDirLimitEviction keeps them in a map)
std::optional<std::int64_t> LimitedUse(const PodStats& stats, std::string_view volume) {
  for (auto each = stats.volumes.rbegin(); each != stats.volumes.rend(); ++each) {
    if (each->name != volume || !each->usage.used_bytes) continue;
    return static_cast<std::int64_t>(*each->usage.used_bytes);
  }
  return std::nullopt;
}

std::uint64_t LimitedUse(const ContainerStats& container, DiskLayout layout) {
  return Used(container.logs) + (layout.dedicated_image_fs ? 0 : Used(container.rootfs));
}

namespace {

std::optional<std::size_t> EmptyDirOverLimit(const ActivePod& pod) {
  const auto& limits = pod.facts->empty_dir_limits;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto used = LimitedUse(*pod.stats, limits[i].name);
    if (used && Nanos{*used} * kNanosPerUnit > limits[i].limit) return i;
  }
  return std::nullopt;
}

bool PodOverLimit(const ActivePod& pod) {
  const auto& limit = pod.facts->ephemeral_storage_limit;
  return limit && Bytes(Used(pod.stats->ephemeral_storage)) > *limit;
}

std::optional<std::size_t> ContainerOverLimit(const ActivePod& pod, DiskLayout layout) {
  const auto& limits = pod.facts->container_limits;
  if (limits.empty()) return std::nullopt;  // most pods have none: their containers are not read
  for (const ContainerStats& container : pod.stats->containers) {
    // Of two limits for one name the last counts. (kubelet: containerEphemeralStorageLimitEviction)
    const auto found = std::find_if(limits.rbegin(), limits.rend(), [&](const StorageLimit& limit) {
      return limit.name == container.name;
    });
    if (found == limits.rend()) continue;
    if (Bytes(LimitedUse(container, layout)) > found->limit) {
      return static_cast<std::size_t>(limits.rend() - found) - 1;
    }
  }
  return std::nullopt;
}

std::optional<StorageViolation> ViolationOf(const ActivePod& pod, DiskLayout layout) {
  if (const auto i = EmptyDirOverLimit(pod)) {
    return StorageViolation{.kind = StorageLimitKind::kEmptyDir, .index = *i};
  }
  if (PodOverLimit(pod)) return StorageViolation{.kind = StorageLimitKind::kPod};
  if (const auto i = ContainerOverLimit(pod, layout)) {
    return StorageViolation{.kind = StorageLimitKind::kContainer, .index = *i};
  }
  return std::nullopt;
}

}  // namespace

std::vector<StorageViolation> StorageViolations(std::span<const ActivePod> pods,
                                                DiskLayout layout) {
  std::vector<StorageViolation> violations;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const ActivePod& pod = pods[i];
    const PodFacts& facts = *pod.facts;
    const bool may_go = !facts.IsProtected() || facts.IsSpared();
    if (!facts.has_storage_limits || !may_go || pod.stats == nullptr) continue;
    // A usage that was measured in an earlier pass may be lower by now.
    if (pod.stats->stale_disk) continue;
    if (auto violation = ViolationOf(pod, layout)) {
      violation->pod = i;
      violations.push_back(*violation);
    }
  }
  return violations;
}

std::string ViolationMessage(const PodFacts& facts, const StorageViolation& violation) {
  switch (violation.kind) {
    case StorageLimitKind::kEmptyDir: {
      const StorageLimit& limit = facts.empty_dir_limits[violation.index];
      const auto& source = std::get<EmptyDirSource>(facts.pod.volumes[limit.place].source);
      return fmt::format("Usage of EmptyDir volume \"{}\" exceeds the limit \"{}\". ", limit.name,
                         source.size_limit->ToString());
    }
    case StorageLimitKind::kPod:
      return fmt::format(
          "Pod ephemeral local storage usage exceeds the total limit of containers {}. ",
          EffectiveLimit(facts.pod, "ephemeral-storage")->ToString());
    case StorageLimitKind::kContainer: {
      const StorageLimit& limit = facts.container_limits[violation.index];
      const ResourceList& limits = facts.pod.containers[limit.place].resources.limits;
      return fmt::format("Container {} exceeded its local ephemeral storage limit \"{}\". ",
                         limit.name, limits.find("ephemeral-storage")->second.ToString());
    }
  }
  __builtin_unreachable();
}

}  // namespace jettison
