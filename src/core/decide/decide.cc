#include "core/decide/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/decide/eviction_pace.h"
#include "core/model/pod.h"
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
// figures. (kubelet: containerEphemeralStorageLimitEviction)
std::optional<std::size_t> BrokenLimit(const ActivePod& pod, DiskLayout layout) {
  const std::vector<StorageLimit>& limits = pod.facts->storage_limits;
  const auto is_broken = [&](const StorageLimit& limit) {
    const auto used = LimitedUse(*pod.stats, limit, layout);
    return used && Nanos{*used} * kNanosPerUnit > limit.limit.ToNanos();
  };
  auto broken = std::ranges::find_if(limits, [&](const StorageLimit& limit) {
    return limit.kind != StorageLimitKind::kContainer && is_broken(limit);
  });
  for (const ContainerStats& container : pod.stats->containers) {
    if (broken != limits.end()) break;
    broken = std::ranges::find_if(limits, [&](const StorageLimit& limit) {
      return limit.kind == StorageLimitKind::kContainer && limit.name == container.name &&
             is_broken(limit);
    });
  }
  if (broken == limits.end()) return std::nullopt;
  return static_cast<std::size_t>(broken - limits.begin());
}

constexpr std::array<ReclaimStep, 2> kBoth = {ReclaimStep::kDeadContainers,
                                              ReclaimStep::kUnusedImages};
constexpr std::span<const ReclaimStep> kContainersThenImages{kBoth};
constexpr std::span<const ReclaimStep> kContainersOnly = kContainersThenImages.first(1);
constexpr std::span<const ReclaimStep> kImagesOnly = kContainersThenImages.last(1);

// A threshold on a disk for which no pod may be evicted yet, because the disk use of all pods is
// unknown, does not delay other thresholds.
std::optional<std::size_t> ThresholdToActFor(std::span<const Threshold> thresholds,
                                             ThresholdSet acting, std::span<const ActivePod> pods) {
  const auto first = MostUrgent(thresholds, acting);
  if (!first || !IsOfDisk(thresholds[*first].signal)) return first;
  if (pods.empty() || !std::ranges::all_of(pods, DiskUseIsUnknown)) return first;
  const auto other = MostUrgent(thresholds, WithoutDisks(thresholds, acting));
  return other ? other : first;
}

// Whether the end of the victim would give back more than next to nothing of the margin. Just below
// our threshold nearly nothing is missing, so that every small pod would be enough for that.
bool FreesEnough(const Threshold& threshold, const Evaluation& evaluation, const ActivePod& victim,
                 DiskLayout layout) {
  const auto& seen = evaluation.next.last_observations[threshold.signal];
  const auto usage = UsageOf(victim, threshold.signal, layout);
  if (!seen || !usage || !threshold.kubelet) return false;
  const std::int64_t ours = QuantityOf(threshold.value, seen->capacity).Value();
  const std::int64_t kubelets = QuantityOf(threshold.kubelet->value, seen->capacity).Value();
  return IsWorthwhile(*usage, Int128{ours} - kubelets);
}

// The reclaim steps for a signal, in order; empty for memory, process IDs and I/O.
// (kubelet: buildSignalToNodeReclaimFuncs)
std::span<const ReclaimStep> ReclaimStepsFor(Signal signal, DiskLayout layout) {
  if (!IsOfDisk(signal)) return {};
  if (!layout.dedicated_image_fs) return kContainersThenImages;
  const FileSystem starved = *RowOf(signal).disk;
  if (layout.dedicated_container_fs) {
    return starved == FileSystem::kImage ? kImagesOnly : kContainersOnly;
  }
  if (starved == FileSystem::kNode) return {};
  return kContainersThenImages;
}

}  // namespace

std::optional<std::int64_t> LimitedUse(const PodStats& stats, const StorageLimit& limit,
                                       DiskLayout layout) {
  switch (limit.kind) {
    case StorageLimitKind::kEmptyDir: {
      const auto found = std::ranges::find(stats.volumes, limit.name, &VolumeStats::name);
      return found == stats.volumes.end() ? std::nullopt : UsedBytes(found->usage);
    }
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
      violations.push_back({.pod = i, .index = *broken});
    }
  }
  return violations;
}

std::string ViolationMessage(const StorageLimit& limit) {
  const std::string amount = limit.limit.ToString();
  switch (limit.kind) {
    case StorageLimitKind::kEmptyDir:
      return fmt::format("Usage of EmptyDir volume \"{}\" exceeds the limit \"{}\". ", limit.name,
                         amount);
    case StorageLimitKind::kPod:
      return fmt::format(
          "Pod ephemeral local storage usage exceeds the total limit of containers {}. ", amount);
    case StorageLimitKind::kContainer:
      return fmt::format("Container {} exceeded its local ephemeral storage limit \"{}\". ",
                         limit.name, amount);
  }
  __builtin_unreachable();
}

std::optional<std::size_t> MostUrgent(std::span<const Threshold> thresholds, ThresholdSet among) {
  // Signals are declared in the order of their urgency, memory first.
  const auto urgency = [&](std::size_t i) {
    return std::tuple(thresholds[i].signal, !thresholds[i].IsHard());
  };
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (among[i] && (!best || urgency(i) < urgency(*best))) best = i;
  }
  return best;
}

Candidates CandidatesFor(Signal signal, std::span<const Threshold> thresholds,
                         const Evaluation& evaluation) {
  Candidates candidates = Candidates::kAll;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (thresholds[i].signal != signal) continue;
    if (evaluation.in_margin[i]) {
      candidates = Candidates::kOverRequest;
    } else if (evaluation.met[i]) {
      return Candidates::kAll;
    }
  }
  return candidates;
}

ThresholdSet WithoutDisks(std::span<const Threshold> thresholds, ThresholdSet among) {
  return ThoseOf(among, thresholds, [](const Threshold& threshold, std::size_t) {
    return !IsOfDisk(threshold.signal);
  });
}

Decision Decide(const PassPolicy& policy, const Evaluation& evaluation, ThresholdSet acting,
                std::span<const ActivePod> pods) {
  const std::span<const Threshold> thresholds = policy.thresholds;
  const DiskLayout layout = policy.layout;
  Decision decision;
  auto threshold = ThresholdToActFor(thresholds, acting, pods);
  if (policy.local_storage_capacity_isolation) {
    decision.violations = StorageViolations(pods, layout);
  }
  if (!decision.violations.empty() || !threshold) return decision;
  const auto victim_for = [&](std::size_t i) {
    return FirstVictim(pods, thresholds[i].signal, layout, CandidatesFor(i, evaluation));
  };
  auto victim = victim_for(*threshold);
  while (evaluation.in_margin[*threshold]) {
    const Threshold& ours = thresholds[*threshold];
    if (victim && FreesEnough(ours, evaluation, pods[*victim], layout)) break;
    victim.reset();
    if (!ReclaimStepsFor(ours.signal, layout).empty()) break;
    acting.reset(*threshold);
    threshold = ThresholdToActFor(thresholds, acting, pods);
    if (!threshold) return decision;
    victim = victim_for(*threshold);
  }
  decision.threshold = threshold;
  decision.victim = victim;
  decision.reclaim = ReclaimStepsFor(thresholds[*threshold].signal, layout);
  return decision;
}

}  // namespace jettison
