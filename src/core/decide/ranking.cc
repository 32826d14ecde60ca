#include "core/decide/ranking.h"

#include <algorithm>
#include <numeric>

namespace jettison {
namespace {

struct MeasuredFiles {
  bool writable_layers = false;
  bool logs = false;
  bool local_volumes = false;
};

MeasuredFiles MeasuredFor(Signal signal, DiskLayout layout) {
  if (!layout.dedicated_image_fs) return {true, true, true};
  const bool images = RowOf(signal).disk == FileSystem::kImage;
  const bool node = RowOf(signal).disk == FileSystem::kNode;
  if (layout.dedicated_container_fs) return {!images, !images, !images};
  return {.writable_layers = !node, .logs = node, .local_volumes = node};
}

std::uint64_t Amount(const std::optional<FsUsage>& usage, Resource resource) {
  if (!usage) return 0;
  return (resource == Resource::kInodes ? usage->inodes_used : usage->used_bytes).value_or(0);
}

std::uint64_t VolumeUsage(const ActivePod& pod, std::string_view name, Resource resource) {
  const auto found = std::ranges::find(pod.stats->volumes, name, &VolumeStats::name);
  return found == pod.stats->volumes.end() ? 0 : Amount(found->usage, resource);
}

std::uint64_t WorkingSet(const ActivePod& pod) {
  return pod.stats->memory_working_set_bytes.value_or(0);
}

Nanos BytesOf(std::uint64_t bytes) {
  return Nanos{static_cast<std::int64_t>(bytes)} * kNanosPerUnit;
}

void RankByMemory(const ActivePod& pod, RankKey& key) {
  const Nanos usage = BytesOf(WorkingSet(pod));
  key.within_request = usage <= pod.facts->memory_request;
  key.negated_excess = pod.facts->memory_request - usage;
}

void RankByFiles(const ActivePod& pod, Signal signal, DiskLayout layout, RankKey& key) {
  const auto usage = Nanos{FilesOf(pod, signal, layout).Sum()} * kNanosPerUnit;
  const Nanos request = pod.facts->ephemeral_storage_request;
  key.within_request = usage <= (ResourceOf(signal) == Resource::kInodes ? 0 : request);
  // The kubelet subtracts the ephemeral-storage request from inodes, too.
  key.negated_excess = request - usage;
}

// Swapped-out memory counts against the memory request, too. Among the pods that exceed it, the one
// that occupies the most swap is evicted first, whatever its working set is.
void RankBySwap(const ActivePod& pod, RankKey& key) {
  const Nanos swap = BytesOf(*pod.stats->swap_bytes);
  key.within_request = swap == 0 || swap + BytesOf(WorkingSet(pod)) <= pod.facts->memory_request;
  key.negated_excess = -swap;
}

// Hundredths of a percent of the time; zero where that is unknown.
std::int32_t IoPressure(const ActivePod& pod) {
  return pod.stats == nullptr ? 0 : pod.stats->io_some_avg10.value_or(0);
}

bool IsMeasured(const ActivePod& pod, Resource resource) {
  if (pod.stats == nullptr) return false;
  if (const auto figure = FigureOf(resource)) return (pod.stats->*figure).has_value();
  return resource == Resource::kIo ? pod.stats->io_some_avg10.has_value() : !DiskUseIsUnknown(pod);
}

}  // namespace

PodFiles FilesOf(const ActivePod& pod, Signal signal, DiskLayout layout) {
  const MeasuredFiles measured = MeasuredFor(signal, layout);
  const Resource resource = ResourceOf(signal);
  PodFiles files;
  for (const ContainerStats& container : pod.stats->containers) {
    if (measured.writable_layers) files.layers += Amount(container.rootfs, resource);
    if (measured.logs) files.logs += Amount(container.logs, resource);
  }
  if (measured.local_volumes) {
    for (const std::string& name : pod.facts->local_volumes) {
      files.volumes += VolumeUsage(pod, name, resource);
    }
    files.deleted += VolumeUsage(pod, kDeletedFiles, resource);
  }
  if (measured.writable_layers) files.deleted += VolumeUsage(pod, kDeletedInLayers, resource);
  return files;
}

RankKey RankOf(const ActivePod& pod, Signal signal, DiskLayout layout) {
  constexpr Nanos kBeforeAnyCount = -(Nanos{1} << 100);
  const Resource resource = ResourceOf(signal);
  const bool has_stats = pod.stats != nullptr;
  RankKey key{.priority = pod.facts->priority, .uid = pod.facts->pod.uid};
  switch (RowOf(resource).ranked_by) {
    case RankedBy::kMemory:
      key.known = has_stats;
      if (has_stats) RankByMemory(pod, key);
      return key;
    case RankedBy::kFiles:
      key.known = has_stats;
      if (has_stats) RankByFiles(pod, signal, layout, key);
      return key;
    case RankedBy::kSwap:
      key.within_request = true;
      if (has_stats) pod.stats->swap_bytes ? RankBySwap(pod, key) : RankByMemory(pod, key);
      return key;
    case RankedBy::kCount:
      // Among pods of one priority, those without stats are evicted first, whatever the counts are.
      key.negated_excess =
          has_stats ? -Nanos{(pod.stats->*FigureOf(resource)).value_or(0)} * kNanosPerUnit
                    : kBeforeAnyCount;
      return key;
    case RankedBy::kStalls:
      key.within_request = IoPressure(pod) == 0;
      key.negated_excess = -Nanos{IoPressure(pod)} * kNanosPerUnit;
      return key;
  }
  __builtin_unreachable();
}

Nanos RequestFor(const PodFacts& facts, Resource resource) {
  if (resource == Resource::kMemory) return facts.memory_request;
  const bool of_files = RowOf(resource).ranked_by == RankedBy::kFiles;
  return of_files ? facts.ephemeral_storage_request : 0;
}

std::optional<std::int64_t> UsageOf(const ActivePod& pod, Signal signal, DiskLayout layout) {
  const Resource resource = ResourceOf(signal);
  if (!IsMeasured(pod, resource)) return std::nullopt;
  const RankKey key = RankOf(pod, signal, layout);
  return static_cast<std::int64_t>((RequestFor(*pod.facts, resource) - key.negated_excess) /
                                   kNanosPerUnit);
}

bool DiskUseIsUnknown(const ActivePod& pod) {
  return pod.stats != nullptr && pod.stats->stale_disk && !pod.stats->stale_disk->measured_at;
}

bool MayGo(const ActivePod& pod, Signal signal) {
  if (pod.facts->IsProtected()) return false;
  switch (RowOf(ResourceOf(signal)).ranked_by) {
    case RankedBy::kMemory:
    case RankedBy::kCount: return true;
    case RankedBy::kSwap:
      return pod.stats != nullptr && pod.stats->swap_bytes.value_or(WorkingSet(pod)) > 0;
    case RankedBy::kFiles: return !DiskUseIsUnknown(pod);
    case RankedBy::kStalls: return IoPressure(pod) > 0;
  }
  __builtin_unreachable();
}

bool IsCandidate(const ActivePod& pod, Signal signal, DiskLayout layout, Candidates candidates) {
  if (!MayGo(pod, signal)) return false;
  if (candidates == Candidates::kAll) return true;
  const RankKey key = RankOf(pod, signal, layout);
  return key.known && !key.within_request;
}

std::optional<std::size_t> FirstVictim(std::span<const ActivePod> pods, Signal signal,
                                       DiskLayout layout, Candidates candidates) {
  std::optional<std::size_t> first;
  RankKey key;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (!IsCandidate(pods[i], signal, layout, candidates)) continue;
    const RankKey other = RankOf(pods[i], signal, layout);
    if (first && key < other) continue;
    first = i;
    key = other;
  }
  return first;
}

std::vector<std::size_t> RankedPods(std::span<const ActivePod> pods, Signal signal,
                                    DiskLayout layout) {
  std::vector<RankKey> keys;
  keys.reserve(pods.size());
  for (const ActivePod& pod : pods) keys.push_back(RankOf(pod, signal, layout));
  std::vector<std::size_t> order(pods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  return order;
}

std::string_view DecidingField(const RankKey& first, const RankKey& second) {
  if (first.known != second.known) return "no statistics";
  if (first.within_request != second.within_request) return "usage above request";
  if (first.priority != second.priority) return "priority";
  if (first.negated_excess != second.negated_excess) return "usage minus request";
  return "UID";
}

}  // namespace jettison
