#include "core/decide/ranking.h"

#include <algorithm>
#include <numeric>

namespace jettison {
namespace {

// Which of a pod's files count under pressure on a file system.
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

std::uint64_t Amount(const FsUsage& usage, Resource resource) {
  return (resource == Resource::kInodes ? usage.inodes_used : usage.used_bytes).value_or(0);
}
std::uint64_t Amount(const std::optional<FsUsage>& usage, Resource resource) {
  return usage ? Amount(*usage, resource) : 0;
}

std::uint64_t VolumeUsage(const ActivePod& pod, std::string_view name, Resource resource) {
  const auto& volumes = pod.stats->volumes;
  const auto found = std::find_if(volumes.begin(), volumes.end(),
                                  [&](const VolumeStats& volume) { return volume.name == name; });
  return found == volumes.end() ? 0 : Amount(found->usage, resource);
}

std::uint64_t WorkingSet(const ActivePod& pod) {
  return pod.stats->memory_working_set_bytes.value_or(0);
}

// The key of a pod that holds nothing.
RankKey KeyOf(const PodFacts& facts) {
  return {.priority = facts.priority, .uid = facts.pod.uid};
}

RankKey Unknown(const PodFacts& facts) {
  RankKey key = KeyOf(facts);
  key.known = false;
  return key;
}

RankKey MemoryKey(const ActivePod& pod) {
  if (pod.stats == nullptr) return Unknown(*pod.facts);
  RankKey key = KeyOf(*pod.facts);
  const Nanos usage = Nanos{static_cast<std::int64_t>(WorkingSet(pod))} * kNanosPerUnit;
  key.within_request = usage <= pod.facts->memory_request;
  key.negated_excess = pod.facts->memory_request - usage;
  return key;
}

RankKey DiskKey(const ActivePod& pod, Signal signal, DiskLayout layout) {
  if (pod.stats == nullptr) return Unknown(*pod.facts);
  RankKey key = KeyOf(*pod.facts);
  const Resource resource = ResourceOf(signal);
  const auto usage = Nanos{FilesOf(pod, signal, layout).Sum()} * kNanosPerUnit;
  const Nanos request = resource == Resource::kInodes ? 0 : pod.facts->ephemeral_storage_request;
  key.within_request = usage <= request;
  // The kubelet subtracts the ephemeral-storage request from inodes, too.
  key.negated_excess = pod.facts->ephemeral_storage_request - usage;
  return key;
}

// Swapped-out memory counts against the memory request, too. Among the pods that exceed it, the one
// that occupies the most swap is evicted first, whatever its working set is.
RankKey SwapKey(const ActivePod& pod) {
  RankKey key = KeyOf(*pod.facts);
  key.within_request = true;
  if (pod.stats == nullptr) return key;
  if (!pod.stats->swap_bytes) return MemoryKey(pod);
  const Nanos swap = Nanos{static_cast<std::int64_t>(*pod.stats->swap_bytes)} * kNanosPerUnit;
  const Nanos resident = Nanos{static_cast<std::int64_t>(WorkingSet(pod))} * kNanosPerUnit;
  key.within_request = swap == 0 || swap + resident <= pod.facts->memory_request;
  key.negated_excess = -swap;
  return key;
}

bool GivesSwapBack(const ActivePod& pod) {
  if (pod.stats == nullptr) return false;
  return pod.stats->swap_bytes.value_or(WorkingSet(pod)) > 0;
}

// Hundredths of a percent of the time; zero where that is unknown.
std::int32_t IoPressure(const ActivePod& pod) {
  return pod.stats == nullptr ? 0 : pod.stats->io_some_avg10.value_or(0);
}

RankKey IoKey(const ActivePod& pod) {
  RankKey key = KeyOf(*pod.facts);
  key.within_request = IoPressure(pod) == 0;
  key.negated_excess = -Nanos{IoPressure(pod)} * kNanosPerUnit;
  return key;
}

// Among pods of one priority, those without stats are evicted first, whatever the counts are.
RankKey CountKey(const ActivePod& pod, Resource resource) {
  constexpr Nanos kBeforeAnyCount = -(Nanos{1} << 100);
  RankKey key = KeyOf(*pod.facts);
  key.negated_excess = pod.stats == nullptr
                           ? kBeforeAnyCount
                           : -Nanos{(pod.stats->*FigureOf(resource)).value_or(0)} * kNanosPerUnit;
  return key;
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
  const Resource resource = ResourceOf(signal);
  switch (RowOf(resource).ranked_by) {
    case RankedBy::kMemory: return MemoryKey(pod);
    case RankedBy::kSwap: return SwapKey(pod);
    case RankedBy::kFiles: return DiskKey(pod, signal, layout);
    case RankedBy::kCount: return CountKey(pod, resource);
    case RankedBy::kStalls: return IoKey(pod);
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
    case RankedBy::kSwap: return GivesSwapBack(pod);
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
