#include "core/decide/decide.h"

#include <algorithm>
#include <tuple>

#include "core/decide/eviction_pace.h"

namespace jettison {
namespace {

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

}  // namespace

std::string_view NameOf(ReclaimStep step) {
  return step == ReclaimStep::kDeadContainers ? "containers" : "images";
}

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
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (IsOfDisk(thresholds[i].signal)) among[i] = false;
  }
  return among;
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
