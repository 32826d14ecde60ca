#include "core/decide/ranking.h"

#include <algorithm>
#include <numeric>

#include "core/units/quantity.h"

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
  const bool images = signal == Signal::kImageFsAvailable || signal == Signal::kImageFsInodesFree;
  const bool node = signal == Signal::kNodeFsAvailable || signal == Signal::kNodeFsInodesFree;
  if (layout.dedicated_container_fs) return {!images, !images, !images};
  return {.writable_layers = !node, .logs = node, .local_volumes = node};
}

std::uint64_t Amount(const FsUsage& usage, Resource resource) {
  return (resource == Resource::kInodes ? usage.inodes_used : usage.used_bytes).value_or(0);
}
std::uint64_t Amount(const std::optional<FsUsage>& usage, Resource resource) {
  return usage ? Amount(*usage, resource) : 0;
}

std::uint64_t LocalVolumeUsage(const ActivePod& pod, Resource resource) {
  std::uint64_t sum = 0;
  const auto& volumes = pod.stats->volumes;
  for (const std::string& name : pod.facts->local_volumes) {
    const auto found = std::find_if(volumes.begin(), volumes.end(),
                                    [&](const VolumeStats& volume) { return volume.name == name; });
    if (found != volumes.end()) sum += Amount(found->usage, resource);
  }
  return sum;
}

Nanos DiskUsage(const ActivePod& pod, MeasuredFiles files, Resource resource) {
  std::uint64_t sum = files.local_volumes ? LocalVolumeUsage(pod, resource) : 0;
  for (const ContainerStats& container : pod.stats->containers) {
    if (files.writable_layers) sum += Amount(container.rootfs, resource);
    if (files.logs) sum += Amount(container.logs, resource);
  }
  return Nanos{static_cast<std::int64_t>(sum)} * kNanosPerUnit;
}

std::uint64_t WorkingSet(const ActivePod& pod) {
  return pod.stats->memory_working_set_bytes.value_or(0);
}

// What is known of every pod, measured or not.
RankKey KeyOf(const PodFacts& facts) {
  return {.priority = facts.priority, .uid = facts.pod.uid};
}

RankKey DiskRank(const ActivePod& pod, Signal signal, DiskLayout layout, RankKey key) {
  const Resource resource = ResourceOf(signal);
  const Nanos usage = DiskUsage(pod, MeasuredFor(signal, layout), resource);
  const Nanos request = resource == Resource::kInodes ? 0 : pod.facts->ephemeral_storage_request;
  key.within_request = usage <= request;
  // The kubelet subtracts the ephemeral-storage request from inodes, too.
  key.negated_excess = pod.facts->ephemeral_storage_request - usage;
  return key;
}

// What a pod has swapped out is memory of it, too, which it may have requested. Among those that
// took more than that the one goes that gives most swap back, whatever it has besides.
RankKey SwapRank(const ActivePod& pod, RankKey key) {
  key.known = true;
  key.within_request = true;
  if (pod.stats == nullptr) return key;
  if (!pod.stats->swap_bytes) return MemoryRankAt(*pod.facts, WorkingSet(pod));
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

RankKey IoRank(const ActivePod& pod, RankKey key) {
  key.known = true;
  key.within_request = IoPressure(pod) == 0;
  key.negated_excess = -Nanos{IoPressure(pod)} * kNanosPerUnit;
  return key;
}

// Among pods of one priority those without stats go first, before any process count.
RankKey PidRank(const ActivePod& pod, RankKey key) {
  constexpr Nanos kBeforeAnyCount = -(Nanos{1} << 64);
  if (pod.stats != nullptr) return PidRankAt(*pod.facts, pod.stats->process_count.value_or(0));
  key.known = true;
  key.negated_excess = kBeforeAnyCount;
  return key;
}

}  // namespace

RankKey MemoryRankAt(const PodFacts& facts, std::uint64_t working_set) {
  RankKey key = KeyOf(facts);
  const Nanos usage = Nanos{static_cast<std::int64_t>(working_set)} * kNanosPerUnit;
  key.within_request = usage <= facts.memory_request;
  key.negated_excess = facts.memory_request - usage;
  return key;
}

RankKey PidRankAt(const PodFacts& facts, std::uint64_t tasks) {
  RankKey key = KeyOf(facts);
  key.negated_excess = -Nanos{tasks};
  return key;
}

RankKey RankOf(const ActivePod& pod, Signal signal, DiskLayout layout) {
  RankKey key = KeyOf(*pod.facts);
  key.known = pod.stats != nullptr;
  switch (ResourceOf(signal)) {
    case Resource::kMemory:
      return pod.stats == nullptr ? key : MemoryRankAt(*pod.facts, WorkingSet(pod));
    case Resource::kSwap: return SwapRank(pod, key);
    case Resource::kEphemeralStorage:
    case Resource::kInodes: return pod.stats == nullptr ? key : DiskRank(pod, signal, layout, key);
    case Resource::kPids: return PidRank(pod, key);
    case Resource::kIo: return IoRank(pod, key);
  }
  __builtin_unreachable();
}

bool DiskUseIsUnknown(const ActivePod& pod) {
  return pod.stats != nullptr && pod.stats->stale_disk && !pod.stats->stale_disk->measured_at;
}

bool MayGo(const ActivePod& pod, Signal signal) {
  if (pod.facts->IsProtected()) return false;
  switch (ResourceOf(signal)) {
    case Resource::kMemory:
    case Resource::kPids: return true;
    case Resource::kSwap: return GivesSwapBack(pod);
    case Resource::kEphemeralStorage:
    case Resource::kInodes: return !DiskUseIsUnknown(pod);
    case Resource::kIo: return IoPressure(pod) > 0;
  }
  __builtin_unreachable();
}

std::optional<std::size_t> FirstVictim(std::span<const ActivePod> pods, Signal signal,
                                       DiskLayout layout) {
  std::optional<std::size_t> first;
  RankKey first_key;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (!MayGo(pods[i], signal)) continue;
    const RankKey key = RankOf(pods[i], signal, layout);
    if (first && !(key < first_key)) continue;
    first = i;
    first_key = key;
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
